type Redact = (text: string) => string;

/** Covers every encoded part that holds a secret by as many "*" as it has bytes. */
export function coverEncoded(text: string, redact: Redact, sizeBytes: (part: string) => number): string {
  const cover = (part: string): string => {
    if (!encoded.test(part) || redactEncoded(part, redact) === part) return part;
    return '*'.repeat(sizeBytes(part));
  };
  return encoded.test(text) ? text.replace(/[^\s<>]{6,}/g, cover) : text;
}

const encoded = /%[0-9A-Fa-f]{2}|&(?:quot|amp|lt|gt|apos|#)|\\u00/;

/** Redacts one layer of percent, HTML and \u encoding. Only texts with a secret are changed. */
export function redactEncoded(text: string, redact: Redact): string {
  let redacted = text;
  if (redacted.includes('%')) redacted = redactPercent(redacted, redact);
  if (redacted.includes('\\u00')) redacted = redactWhole(redacted, redact, decodeUnicode, (each) => each);
  // The entities come last: every quotation mark of the text becomes one, also that of a name with escapes.
  if (/&(?:quot|amp|lt|gt|apos|#)/.test(redacted)) {
    redacted = redactWhole(redacted, redact, decodeEntities, encodeEntities);
  }
  return redacted;
}

const marker = /(\[redacted(?: hmac-sha256:[0-9a-f]{16})?\])/;

/** Keeps markers as they are. */
function encodeAround(text: string, encode: Redact): string {
  return text
    .split(marker)
    .map((part, index) => (index % 2 === 1 ? part : encode(part)))
    .join('');
}

function redactWhole(text: string, redact: Redact, decode: Redact, encode: Redact): string {
  const decoded = decode(text);
  if (decoded === text) return text;
  const redacted = redact(decoded);
  return redacted === decoded ? text : encodeAround(redacted, encode);
}

function redactPercent(text: string, redact: Redact): string {
  return text.replace(/[^\s"'<>]{6,}/g, (run) =>
    /%[0-9A-Fa-f]{2}/.test(run) ? redactWhole(run, redact, decodePercent, encodePercent) : run,
  );
}

/** Bytes that are no ASCII stay encoded. */
function decodePercent(text: string): string {
  return text.replace(/%([0-7][0-9A-Fa-f])/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Encodes what delimits an address, and blanks. */
function encodePercent(text: string): string {
  return text.replace(/[\s"'<>{}[\]:=&%,]/g, (character) => encodeURIComponent(character));
}

const entities: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:(quot|amp|lt|gt|apos)|#(\d{1,3})|#x([0-9a-f]{1,2}));/gi,
    (whole, name, number, hex) => {
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
      const code = number === undefined ? Number.parseInt(hex, 16) : Number(number);
      return code >= 32 && code < 127 ? String.fromCharCode(code) : whole;
    },
  );
}

function encodeEntities(text: string): string {
  return text.replace(/["&<>']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function decodeUnicode(text: string): string {
  return text.replace(/\\{1,4}u00([2-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
