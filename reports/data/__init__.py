"""Solutions as rows and dictionaries: what every screen, table, figure and page is made of."""
