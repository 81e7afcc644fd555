/**
 * Returns the path of a request target as handlers interpret it: without query, `.` and `..` resolved, percent-escapes
 * kept. undefined if an escape is malformed (`%zz`, or bytes that are not UTF-8).
 */
export function parseRequestPath(target: string): string | undefined {
  try {
    // The absolute form ("GET http://host/path") is allowed by RFC 9112 3.2.2; "//a/b" must not become a host.
    const { pathname } = target.startsWith('/') ? new URL(`http://localhost${target}`) : new URL(target);
    decodeURIComponent(pathname);
    return pathname;
  } catch {
    // The message of either error has no information for users.
    return undefined;
  }
}
