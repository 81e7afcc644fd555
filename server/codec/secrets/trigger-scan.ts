import { secretPairs, secretWords } from '../secret-name';
import { knownTokens } from './known-tokens';

/** Checks the bytes around a trigger; `at` is the place behind it. */
type Follow = (bytes: Uint8Array, start: number, at: number, end: number) => boolean;

/**
 * Returns whether a rule by value could match in these bytes. The scan searches for a trigger, four characters that
 * each rule requires, at every second byte by a table of three; nearly all bytes are rejected by that table. A false
 * positive costs a full check; a false negative would be a leak.
 */
export function mayHoldSecretValue(bytes: Uint8Array, start = 0, end = bytes.length): boolean {
  for (let at = start; at + 2 < end; at += 2) {
    const second = bytes[at + 1] ?? 0;
    const third = bytes[at + 2] ?? 0;
    if (second === atSign && hasUserinfo(bytes, start, at + 1)) return true;
    if (third === atSign && hasUserinfo(bytes, start, at + 2)) return true;
    const window = ((bytes[at] ?? 0) << 10) ^ (second << 5) ^ third;
    if (windows[window & 0xffff] === 0) continue;
    if (isTrigger(bytes, start, at, end) || (at > start && isTrigger(bytes, start, at - 1, end))) return true;
  }
  return false;
}

function isTrigger(bytes: Uint8Array, start: number, at: number, end: number): boolean {
  if (at + 3 >= end) return false;
  const four = fourAt(bytes, at);
  if (fours[hashOf(four)] === 0) return false;
  const follow = triggers.get(four);
  return follow?.(bytes, start, at + 4, end) ?? false;
}

function fourAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  );
}

function hashOf(four: number): number {
  return Math.imul(four, 0x9e3779b1) >>> 16;
}

const classes = { word: 1, token: 2, quote: 4, blank: 8, stop: 16, base64: 32 };
const classOf = new Uint8Array(256);

function setClass(flag: number, characters: string): void {
  for (const character of characters) {
    const code = character.charCodeAt(0);
    classOf[code] = (classOf[code] ?? 0) | flag;
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const alphanumeric = `${letters}${letters.toUpperCase()}0123456789`;
setClass(classes.word, `${alphanumeric}_.-`);
setClass(classes.token, `${alphanumeric}_.-+/=~$%`);
setClass(classes.base64, `${alphanumeric}+/`);
setClass(classes.quote, '"\'`\\');
setClass(classes.blank, ' \t\r\n');
setClass(classes.stop, ' "\'`<>');
// Letters of other languages.
for (let code = 0x80; code < 0x100; code++) classOf[code] = (classOf[code] ?? 0) | classes.word;
for (let code = 0; code < 32; code++) classOf[code] = (classOf[code] ?? 0) | classes.stop;

function skip(bytes: Uint8Array, at: number, end: number, flag: number, most: number): number {
  let position = at;
  const last = Math.min(end, at + most);
  while (position < last && ((classOf[bytes[position] ?? 0] ?? 0) & flag) !== 0) position++;
  return position;
}

/** The trigger is part of a name, and a value follows. */
const isAssigned: Follow = (bytes, start, at, end) => {
  const wordEnd = skip(bytes, at, end, classes.word, 200);
  // Nested quotations have many backslashes.
  const quoteEnd = skip(bytes, wordEnd, end, classes.quote, 256);
  const next = skip(bytes, quoteEnd, end, classes.blank, 16);
  const code = bytes[next];
  if (code === equals || code === colon || code === brace) return next + 1 < end;
  // The name is an argument, an element, encoded, or the first part of a pair such as {name: DB_PASSWORD, value: x}.
  if (
    code !== undefined &&
    followers.has(code) &&
    next < end &&
    (next === quoteEnd || code === letterV || code === opening)
  )
    return true;
  // Matches <password>value or <password encoding="plain">value.
  if (code === closing || (next > wordEnd && hasOpeningTag(bytes, start, at))) return true;
  if (next >= end) return false;
  // Matches "secret 5 x".
  if (next > wordEnd && isDigit(code) && ((classOf[bytes[next + 1] ?? 0] ?? 0) & classes.blank) !== 0)
    return true;
  // Matches --token value, ["--token", "value"], or token is value.
  return hasOption(bytes, start, at) || (next > wordEnd && code === letterI && bytes[next + 1] === letterS);
};

/** Extends isAssigned by `password "value"` and `login x password value`. */
const isPassword: Follow = (bytes, start, from, end) => {
  if (isAssigned(bytes, start, from, end)) return true;
  const wordEnd = skip(bytes, from, end, classes.word, 200);
  return skip(bytes, wordEnd, end, classes.blank, 16) > wordEnd;
};

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 0x30 && code <= 0x39;
}

function hasOption(bytes: Uint8Array, start: number, at: number): boolean {
  for (let position = at - 1; position > start && position > at - 64; position--) {
    const code = bytes[position] ?? 0;
    if (((classOf[code] ?? 0) & classes.word) === 0) return false;
    if (code === hyphen && bytes[position - 1] === hyphen) return true;
  }
  return false;
}

function hasOpeningTag(bytes: Uint8Array, start: number, at: number): boolean {
  for (let position = at - 1; position >= start && position > at - 64; position--) {
    if (bytes[position] === opening) return true;
    if (((classOf[bytes[position] ?? 0] ?? 0) & classes.word) === 0 && bytes[position] !== colon)
      return false;
  }
  return false;
}

const encodedBlank = new Set(Buffer.from('%+\\'));
const followers = new Set(Buffer.from(',]<(%&vV'));
const letterV = 0x76;
const equals = 0x3d;
const colon = 0x3a;
const brace = 0x7b;
const closing = 0x3e;
const opening = 0x3c;
const hyphen = 0x2d;
const atSign = 0x40;
const slash = 0x2f;
const letterI = 0x69;
const letterS = 0x73;

/**
 * Returns whether userinfo may precede an "@": a colon or two slashes, before any delimiter. It reads back to the "@"
 * before, so that each byte is read at most once.
 */
function hasUserinfo(bytes: Uint8Array, start: number, at: number): boolean {
  for (let position = at - 1; position >= start; position--) {
    const code = bytes[position] ?? 0;
    if (code === colon || (code === slash && bytes[position - 1] === slash)) return true;
    if (code === atSign || ((classOf[code] ?? 0) & classes.stop) !== 0) return false;
  }
  return false;
}

/** The trigger is of an authentication scheme ("Bearer"), and blanks and a possible credential follow. */
const isScheme: Follow = (bytes, _, from, end) => {
  const wordEnd = skip(bytes, from, end, classes.word, 8);
  const next = skip(bytes, wordEnd, end, classes.blank, 8);
  // The blank can be encoded as "%20", "+" or "\\t".
  const isBlank = next > wordEnd || encodedBlank.has(bytes[next] ?? 0);
  return isBlank && skip(bytes, next + (next > wordEnd ? 0 : 1), end, classes.token, 6) - next >= 6;
};

/** The trigger ends with the blank of a scheme, which can be encoded. */
const isCredential: Follow = (bytes, _, from, end) => skip(bytes, from, end, classes.token, 6) - from >= 6;

/** The characters around the trigger have the length of a token. */
const isToken: Follow = (bytes, start, from, end) => {
  let first = from - 4;
  while (first > start && first > from - 40 && ((classOf[bytes[first - 1] ?? 0] ?? 0) & classes.token) !== 0)
    first--;
  return skip(bytes, from, end, classes.token, 64) - first >= 14;
};

/** Extends isToken: the trigger is at the beginning of a word. In binary data, one byte before it can be a letter. */
const isWholeToken: Follow = (bytes, start, from, end) => {
  const before = from - 5;
  const goesOn = (at: number): boolean =>
    at >= start && ((classOf[bytes[at] ?? 0] ?? 0) & classes.base64) !== 0;
  return !(goesOn(before) && goesOn(before - 1)) && isToken(bytes, start, from, end);
};

/** The trigger is of a word that blanks and an argument follow. */
const isCommand: Follow = (bytes, _, from, end) => {
  const wordEnd = skip(bytes, from, end, classes.word, 16);
  const next = skip(bytes, wordEnd, end, classes.blank, 8);
  return next > wordEnd && next < end;
};

/** The trigger has one character behind the name. */
const isAssignedBefore: Follow = (bytes, start, from, end) => isAssigned(bytes, start, from - 1, end);

/** Adds the end of a name of secrets. */
function addWord(word: string): void {
  if (word.length >= 4 || /[^a-z0-9]/.test(word)) {
    for (const spelling of new Set([word, word.toUpperCase()])) {
      const last = Buffer.from(spelling).toString('latin1').slice(-4);
      if (/^[A-Za-z0-9]+$/.test(last)) addAnyCase(last, isAssigned);
      else addTrigger(last, isAssigned);
    }
    return;
  }
  const befores = word.length === 2 ? '_-."\'?&({, \n' : [''];
  for (const before of befores)
    for (const after of '=:"\'\\ \r\n],<%&`(>_-') addAnyCase(`${before}${word}${after}`, isAssignedBefore);
}

/** The trigger precedes a UUID. */
const isUuid: Follow = (bytes, _, from, end) => {
  const next = skip(bytes, from, end, classes.base64, 9);
  return next === from + 8 && bytes[next] === hyphen;
};

const always: Follow = () => true;
const triggers = new Map<number, Follow>();
/** The tables are indexed by three characters, and by the hash of all four, which rejects most matches of the first. */
const windows = new Uint8Array(65_536);
const fours = new Uint8Array(65_536);

function addTrigger(text: string, follow: Follow): void {
  const codes = Buffer.from(text, 'latin1');
  const four = fourAt(codes, 0);
  fours[hashOf(four)] = 1;
  const known = triggers.get(four);
  const either: Follow = (bytes, start, from, end) =>
    follow(bytes, start, from, end) || (known?.(bytes, start, from, end) ?? false);
  triggers.set(four, known === undefined || known === follow ? follow : either);
  for (const from of [0, 1]) {
    const [a = 0, b = 0, c = 0] = codes.subarray(from);
    windows[((a << 10) ^ (b << 5) ^ c) & 0xffff] = 1;
  }
}

/** Adds every combination of upper and lower case. */
function addAnyCase(text: string, follow: Follow): void {
  const spellings = [...text].reduce<string[]>(
    (all, character) =>
      all.flatMap((each) =>
        [...new Set([character.toLowerCase(), character.toUpperCase()])].map((one) => `${each}${one}`),
      ),
    [''],
  );
  for (const spelling of spellings) addTrigger(spelling, follow);
}

addAnyCase('pass', isPassword);
for (const part of ['ecre', 'oken', 'cred', 'oriz', 'ooki', 'ssio', 'ture']) addAnyCase(part, isAssigned);
for (const after of '"\' \\>_-=:') addAnyCase(`pwd${after}`, isPassword);
// "authority" is in every access log, and is not a trigger.
addAnyCase('auth', (bytes, start, from, end) => {
  const isWord = ((classOf[bytes[from] ?? 0] ?? 0) & classes.word) === 0;
  return isWord && isAssigned(bytes, start, from, end);
});
for (const before of `${letters}0123456789_-. `) addAnyCase(`${before}key`, isAssigned);
for (const word of secretWords) addWord(word);
// The end of the first word, and the beginning of the last one.
for (const [first, last] of secretPairs)
  for (const between of ['', '-', '_', '.', ' '])
    addAnyCase(`${first.slice(-2)}${between}${last}`.slice(0, 4), isAssigned);
for (const part of ['snmp', 'ysql', 'riad', 'raut']) addAnyCase(part, isCommand);
addAnyCase('ied ', (bytes, _start, from) => /[abw]/i.test(String.fromCharCode(bytes[from] ?? 0)));
for (const part of ['AUTH', 'ureS', 'URES']) addTrigger(part, isCommand);
for (const option of 'pPaWw') for (const after of ' =') addTrigger(` -${option}${after}`, always);
addTrigger('\\u00', always);
for (const after of alphanumeric) addTrigger(`%40${after}`, always);
// The last character follows the key of a Struct's entry.
for (const end of '"\'\\: \x12') addTrigger(`kty${end}`, always);
for (const part of ['bear', 'basi', 'apik', 'geni', 'ssws', 'ntlm', 'nego', ' bot'])
  addAnyCase(part, isScheme);
for (const blank of ' %+') addAnyCase(`bot${blank}`, isCredential);
for (const after of `${alphanumeric}_-+/`) addTrigger(`eyJ${after}`, isToken);
for (const part of ['TE K', 'e-Li', 'UFJJ', 'QUkl', 'BSSV']) addTrigger(part, always);
addTrigger(' -u ', always);
addTrigger('user', (bytes, start, from) => hasOption(bytes, start, from));
for (const { triggers: texts, startsWord, precedesUuid } of knownTokens) {
  const follow = precedesUuid === true ? isUuid : startsWord === true ? isWholeToken : isToken;
  for (const text of texts) addTrigger(text, follow);
}
