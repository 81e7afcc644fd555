import type { Route } from '../model/route';
import type { PathMatch } from '../model/route-match';

/** Returns true if it is proven that `route` matches every request that `other` matches. */
export function containsRoute(route: Route, other: Route): boolean {
  const { path, conditions } = route;
  if (path === null || other.path === null || !conditions.isWhole) return false;
  if (!conditions.texts.every((text) => other.conditions.texts.includes(text))) return false;
  return containsPath(path, other.path);
}

function containsPath(path: PathMatch, other: PathMatch): boolean {
  if (path.kind === other.kind && path.text === other.text && path.isInAnyCase === other.isInAnyCase)
    return path.kind !== 'connectMatcher' && path.kind !== 'pathMatchPolicy';
  if (!path.isInAnyCase && other.isInAnyCase && /\p{L}/u.test(path.text)) return false;
  // A regular expression, and a policy, may match paths of any form.
  const texts = textsOf(other);
  if (isEveryPath(path)) return other.kind !== 'connectMatcher';
  if (texts === undefined) return false;
  const [text, wanted] = path.isInAnyCase
    ? [texts.text.toLowerCase(), path.text.toLowerCase()]
    : [texts.text, path.text];
  switch (path.kind) {
    case 'prefix':
      return text.startsWith(wanted);
    case 'path':
      return texts.isExact && text === wanted;
    case 'pathSeparatedPrefix':
      return text.startsWith(`${wanted}/`) || (text === wanted && other.kind !== 'prefix');
    case 'safeRegex': {
      const prefix = findPrefix(path.text);
      return prefix !== undefined && texts.text.startsWith(prefix);
    }
    default:
      return false;
  }
}

function isEveryPath({ kind, text }: PathMatch): boolean {
  return kind === 'prefix' && (text === '' || text === '/');
}

/** The text with which every path of the match begins; `isExact`: it is the whole path. */
function textsOf({
  kind,
  text,
}: PathMatch): { readonly text: string; readonly isExact: boolean } | undefined {
  if (kind === 'prefix' || kind === 'pathSeparatedPrefix') return { text, isExact: false };
  return kind === 'path' ? { text, isExact: true } : undefined;
}

/** The prefix of an expression such as "/img/.*", which matches whole paths; undefined for other expressions. */
function findPrefix(regex: string): string | undefined {
  return /^([\w/~-]*)\.\*$/.exec(regex)?.[1];
}
