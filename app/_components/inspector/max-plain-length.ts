/** A longer text is shown by the editor, which renders the lines in sight only. In characters. */
export const maxPlainLength = 50_000;
