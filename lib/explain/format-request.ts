import type { ExplainRequest } from '../requests/request';

/** The shortest text that parseRequest() reads as this request: "GET shop.example/cart", or a curl line if it has headers. */
export function formatRequest({ method, scheme, authority, path, headers }: ExplainRequest): string {
  const url = `${scheme === 'http' ? '' : 'https://'}${authority}${path}`;
  if (headers.length === 0) return `${method} ${url}`;
  const words = headers.map(
    ([name, value]) => `-H ${quoteWord(value === '' ? `${name};` : `${name}: ${value}`)}`,
  );
  const chosen = method === 'GET' ? [] : [`-X ${quoteWord(method)}`];
  return ['curl', ...chosen, ...words, quoteWord(url)].join(' ');
}

/** A word of a shell command. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
