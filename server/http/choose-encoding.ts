/**
 * The coding that an Accept-Encoding header prefers (RFC 9110 12.5.3), the first of equals; undefined: as it is, which
 * also answers a header that accepts none of them.
 */
export function chooseEncoding<T extends string>(header: string, available: readonly T[]): T | undefined {
  const weights = new Map(
    header.split(',').map((part) => {
      const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return [coding === 'x-gzip' ? 'gzip' : coding, Number(weight)];
    }),
  );
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = available.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  const asItIs = weights.get('identity') ?? 0;
  return best !== undefined && weightOf(best) >= asItIs ? best : undefined;
}
