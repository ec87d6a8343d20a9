"""One module a source, named by its id: the spider says what to fetch, `read` says what an answer states."""
