-- Grain: none; functions for the files after this one.
-- Unit: none.
-- Inputs: none.
-- Clause: design 5, ids are hashes of a row's identifying fields, spelled as gpurent.core.ids spells texts.
-- spelled_word tells null from every text and one list of texts from another.
CREATE OR REPLACE TEMPORARY MACRO spelled_word(word) AS
coalesce(length(word) || ':' || word, 'n');

CREATE OR REPLACE TEMPORARY MACRO id_field(word) AS
(strlen(word) + 1) || ':s' || word;
