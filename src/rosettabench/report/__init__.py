"""What a run found, for the terminal, a browser, a spreadsheet or a program."""
