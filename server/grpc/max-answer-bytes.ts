/** Answers of this size are read. Compressed messages count by what they unpack to. */
export const maxAnswerBytes = 128 * 1024 * 1024;
