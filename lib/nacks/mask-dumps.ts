/** Stands for a character of a dump. Texts of clients contain no such character. */
export const masked = '\ue000';

/** Since 1.38, every dump begins in this way, with one of several words and a random number of blanks. */
const prefix = /goo\.gle\/debug\w* +/;
/** A line of a message in text format. The last form stands for lines that were cut out. */
const dumpLine = /^(?: *(?:\}|[\w.]+ \{|\[[\w./-]+\] \{|[\w.]+: .*)|… .*)$/;
const scalarLine = /(?:^|: )([a-z]\w*(?: \{|: (?:-?\d[\w.+-]*|[A-Z][A-Z0-9_]*|true|false)))$/;
const stringBegin = /(?:^|: )(?=[a-z]\w*: ")/;
const stringLine = /^[a-z]\w*: "(?:[^"\\]|\\.)*"$/;

/**
 * Envoy prints messages in text format into its errors. Replaces them by U+E000, so that positions remain:
 *
 *     goo.gle/debugonly  \nname: "a"\n: Proto constraint validation failed (...)
 *     Invalid duration: Expected positive duration: seconds: -1\n
 */
export function maskDumps(text: string): string {
  let result = '';
  let isInside = false;
  for (let at = 0; at < text.length; ) {
    const next: number = text.indexOf('\n', at) + 1 || text.length;
    const line = text.slice(at, next).replace(/\n$/, '');
    const begin: number | undefined = isInside && dumpLine.test(line) ? 0 : findBegin(line);
    if (begin === undefined) {
      isInside = false;
      result += text.slice(at, next);
    } else {
      const lead: number = begin + (prefix.exec(line.slice(begin))?.[0].length ?? 0);
      isInside = lead === line.length || dumpLine.test(line.slice(lead));
      const end = isInside ? next : at + lead;
      result += text.slice(at, at + begin) + masked.repeat(end - at - begin) + text.slice(end, next);
    }
    at = next;
  }
  return result;
}

/** Finds the beginning of a dump in a line that does not continue one. */
function findBegin(line: string): number | undefined {
  const marked = line.search(prefix);
  if (marked >= 0) return marked;
  const scalar = scalarLine.exec(line);
  if (scalar !== null) return line.length - (scalar[1]?.length ?? 0);
  const text = line.endsWith('"') ? stringBegin.exec(line) : null;
  if (text === null) return undefined;
  const begin = text.index + text[0].length;
  return stringLine.test(line.slice(begin)) ? begin : undefined;
}

const shortDump = 60;
const truncated = '...(truncated)';

/** Removes dumps, except short ones, which are values: "Expected positive duration: seconds: -1". */
export function withoutDumps(text: string): string {
  const mask = maskDumps(text);
  const shown = mask.replace(/\ue000+/g, (dump, at: number) => {
    const value = text
      .slice(at, at + dump.length)
      .replace(prefix, '')
      .replace(/\s+/g, ' ')
      .trim();
    return value.length <= shortDump ? value : '';
  });
  const words = shown.replace(/\s+/g, ' ');
  let end = words.length;
  while (end > 0 && ' :'.includes(words.charAt(end - 1))) end -= 1;
  return end === 0 && text.endsWith(truncated) ? truncated : words.slice(0, end);
}
