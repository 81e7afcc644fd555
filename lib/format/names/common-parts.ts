import { formatMiddleCut } from '../middle-cut';

/** The text that all names of a list share at both ends. */
export interface CommonParts {
  readonly prefix: string;
  readonly suffix: string;
}

export const nothingCommon: CommonParts = { prefix: '', suffix: '' };

/** The least that is shown of both common parts together is twice this. */
const leastCommonChars = 3;

/** Common parts shorter than this are not worth a cut. */
const minChars = 8;

const isSeparator = (character: string | undefined): boolean =>
  character !== undefined && /[^\p{L}\p{N}]/u.test(character);

/**
 * Returns the parts that the names of a list have in common. A common part ends at a separator, so that a word or a
 * number is not divided: "svc-0001" and "svc-0002" have the prefix "svc-".
 */
export function findCommonParts(names: readonly string[]): CommonParts {
  const [first = ''] = names;
  let prefix = first.length;
  let suffix = first.length;
  let isOne = true;
  for (const name of names) {
    if (name === first) continue;
    isOne = false;
    let at = 0;
    while (at < prefix && name.charCodeAt(at) === first.charCodeAt(at)) at += 1;
    prefix = at;
    at = 0;
    while (at < suffix && name.charCodeAt(name.length - 1 - at) === first.charCodeAt(first.length - 1 - at))
      at += 1;
    suffix = at;
    if (prefix < minChars && suffix < minChars) return nothingCommon;
  }
  if (isOne) return nothingCommon;
  while (prefix > 0 && !isSeparator(first[prefix - 1])) prefix -= 1;
  while (suffix > 0 && !isSeparator(first[first.length - suffix])) suffix -= 1;
  return {
    prefix: prefix < minChars ? '' : first.slice(0, prefix),
    suffix: suffix < minChars ? '' : first.slice(first.length - suffix),
  };
}

/** A name in the parts that may be cut, `head` and `tail`, and the one between them that distinguishes it. */
interface SplitName {
  readonly head: string;
  readonly kept: string;
  readonly tail: string;
}

/** A name that is not of the list is kept whole. */
export function splitName(name: string, { prefix, suffix }: CommonParts): SplitName {
  if (!name.startsWith(prefix) || !name.endsWith(suffix)) return { head: '', kept: name, tail: '' };
  // In the shortest name of a list, both common parts may overlap.
  const end = Math.max(prefix.length, name.length - suffix.length);
  return { head: prefix, kept: name.slice(prefix.length, end), tail: name.slice(end) };
}

/** Cuts a name to `maxChars` where its width is fixed: within the common parts first, then in the middle. */
export function cutName(name: string, maxChars: number, common: CommonParts): string {
  if (name.length <= maxChars) return name;
  const { head, kept, tail } = splitName(name, common);
  const room = maxChars - kept.length;
  if (room < 2 * leastCommonChars) return formatMiddleCut(name, maxChars);
  const headChars = Math.min(head.length, Math.max(room - tail.length, Math.floor(room / 2)));
  return formatMiddleCut(head, headChars) + kept + formatMiddleCut(tail, room - headChars);
}
