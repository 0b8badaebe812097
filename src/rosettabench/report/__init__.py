"""Reports of a run for the terminal, a browser, a spreadsheet or a program."""
