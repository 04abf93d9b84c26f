/** In UTF-16 units, as JavaScript counts them. */
export const ROW_CHARS_MAX = 1_048_576;
export const COLUMNS_MAX = 500;
export const HEADER_CHARS_MAX = 256;
