/** A client prints whole resources into its text. */
const mostChars = 600;

export function cutText(text: string): string {
  return text.length <= mostChars ? text : `${text.slice(0, mostChars)}…`;
}
