/** Joins facts on a line. A line may break after it, and not before it. */
export const separator = '\u00a0· ';
