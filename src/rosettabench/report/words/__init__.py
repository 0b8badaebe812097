"""What a report says in words, made from the data of summary/."""
