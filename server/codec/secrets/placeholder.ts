/** Returns the marker that replaces a secret. */
export type Mark = (secret: string) => string;

const words = new Set(
  `null nil none undefined true false yes no on off empty missing
  string str int integer number bool boolean bytes object any optional required
  redacted hidden masked omitted removed secret password token invalid expected`.split(/\s+/),
);

/**
 * True for a value that is not a secret: empty, a keyword, a placeholder, a masked value, a file name, or an address
 * (whose userinfo has its own rule).
 */
export function isNoSecret(value: string): boolean {
  if (value.length < 3 && !/^\d/.test(value))
    return value === '' || /^[^A-Za-z0-9]*$/.test(value) || words.has(value.toLowerCase());
  if (words.has(value.toLowerCase())) return true;
  if (/^(?:[A-Za-z0-9-]{1,20} )?\[redacted/.test(value)) return true;
  if (/^(?:[*x.#•-]{3,}|<[^>]{0,100}>)$/i.test(value)) return true;
  if (/^(?:\$\{|\$\(|\$[A-Z_]{2,}|\{\{|%[A-Z_]{2,}[(%]|@@)/.test(value)) return true;
  if (
    /^(?:\/|\.{1,2}\/)(?:etc|var|run|tmp|usr|home|opt|dev|proc|mnt|srv|root|app|config|certs?|secrets?|v\d)(?:\/|$)/.test(
      value,
    )
  )
    return true;
  return /^[a-z][a-z0-9+.-]{0,20}:\/\/[^\s@]*$/i.test(value) && !/[?&]/.test(value);
}
