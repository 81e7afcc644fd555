/** What is reported a failed call: one line, without grpc-js's frame around the cause; it may come from anybody, so its length is bounded. */
export function plainDetails(details: string): string {
  const text = details
    .replace(/^No connection established\. Last error: /, '')
    .replace(/\.? Resolution note: ?.*$/s, '')
    .replace(/ \(\d{4}-\d{2}-\d{2}T[\d:.]+Z\)$/, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
