/**
 * The path of a request target, as whoever serves it will understand it: without query, `.` and `..` resolved,
 * percent-escapes kept. undefined when an escape is malformed (`%zz`, or bytes that are no UTF-8).
 */
export function parseRequestPath(target: string): string | undefined {
  try {
    // The absolute form ("GET http://host/path") is allowed by RFC 9112 3.2.2; "//a/b" must not become a host.
    const { pathname } = target.startsWith('/') ? new URL(`http://localhost${target}`) : new URL(target);
    decodeURIComponent(pathname);
    return pathname;
  } catch {
    // Both throw for what they cannot read, and say nothing that a person could use.
    return undefined;
  }
}
