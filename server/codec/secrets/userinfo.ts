import { isNoSecret, type Mark } from './placeholder';

/** Userinfo is at most this long, together with the scheme before it. */
const mostChars = 1_200;
/** A password can contain "@": the last one within this many characters ends it. */
const mostBehindAt = 256;
const stops = ' \t\r\n"\'`<>';

function isStop(character: string): boolean {
  return stops.includes(character);
}

/**
 * Masks the userinfo of addresses. Each "@" is found by a native search, the text before it is read back to a delimiter
 * or the "@" before, and the text behind it is read once.
 */
export function maskUserinfo(text: string, mark: Mark): string {
  let masked = '';
  let copiedTo = 0;
  let readTo = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', readTo)) {
    let start = at;
    while (start > readTo && at - start < mostChars && !isStop(text[start - 1] ?? '')) start--;
    const end = findLastAt(text, at);
    readTo = end + 1;
    const secret = findSecret(text.slice(start, end), text.slice(end + 1, end + 12));
    if (secret === undefined || isNoSecret(secret)) continue;
    // A marker holds a blank, which ends the text that is read back.
    if (text.startsWith('hmac-sha256:', end - secret.length - 12)) continue;
    masked += text.slice(copiedTo, end - secret.length) + mark(secret);
    copiedTo = end;
  }
  return copiedTo === 0 ? text : masked + text.slice(copiedTo);
}

function findLastAt(text: string, at: number): number {
  let last = at;
  const end = Math.min(text.length, at + mostBehindAt);
  for (let position = at + 1; position < end; position++) {
    const character = text[position] ?? '';
    if (character === '@') last = position;
    else if (isStop(character) || '/?#,;()\\'.includes(character)) break;
  }
  return last;
}

/** Returns the end of `before` that is secret, if an address follows. */
function findSecret(before: string, behind: string): string | undefined {
  const slashes = before.includes('\\/\\/') ? '\\/\\/' : '//';
  const opened = before.lastIndexOf(`:${slashes}`);
  if (opened !== -1) return findInAuthority(before.slice(opened + 1 + slashes.length));
  const bare = before.lastIndexOf(slashes);
  if (bare !== -1) {
    return /[\w]$/.test(before.slice(0, bare))
      ? undefined
      : /^[^/?#:\\]{1,128}:([^/\\]{1,256})$/.exec(before.slice(bare + slashes.length))?.[1];
  }
  if (/^(?:tcp6?|unix)\(/.test(behind)) return /^[^:@/=]{1,64}:(.+)$/.exec(afterDelimiter(before))?.[1];
  const oracle = /jdbc:oracle:thin:[^/]{1,64}\/([^/]{1,256})$/.exec(before)?.[1];
  return oracle ?? findWithoutScheme(before, behind);
}

/** Returns the userinfo as a whole, or only the password if it contains a slash. */
function findInAuthority(authority: string): string | undefined {
  if (!/[/?#\\]/.test(authority)) return isUserinfo(authority) ? authority : undefined;
  const password = /^[^/?#:\\]{0,128}:(?!\d{1,5}[/?#])([^\\]{1,256})$/.exec(authority)?.[1];
  return password?.includes('@') === true ? password.slice(password.indexOf('@') + 1) : password;
}

function isUserinfo(userinfo: string): boolean {
  return (
    userinfo !== '' &&
    userinfo !== 'git' &&
    !userinfo.startsWith('[redacted') &&
    !/:\[redacted[^\]]{0,40}\]$/.test(userinfo)
  );
}

/** These words before an address of a mailbox name its kind, and an image has a digest behind "@". */
const noUser = new Set(
  `mailto sip sips xmpp acct user group domain serviceaccount principal principalset member email mail from to cc bcc
  sub upn owner contact account author maintainer git`.split(/\s+/),
);

/** In `user:password@host`, the user is a short name. */
function findWithoutScheme(before: string, behind: string): string | undefined {
  if (!/^[A-Za-z0-9[]/.test(behind) || /^sha\d{1,3}:/.test(behind)) return undefined;
  const [, user = '', password] = /^([\w.%+-]{1,64}):([^/:|]{3,256})$/.exec(afterDelimiter(before)) ?? [];
  return noUser.has(user.toLowerCase()) ? undefined : password;
}

function afterDelimiter(text: string): string {
  return text.slice(Math.max(...[...'=(,;[{|&'].map((delimiter) => text.lastIndexOf(delimiter))) + 1);
}
