/** The query as an object; of a parameter that comes twice the last one counts. */
export function readQuery(request: Request): Record<string, string> {
  return Object.fromEntries(new URL(request.url).searchParams);
}
