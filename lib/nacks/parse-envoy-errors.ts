import { CDS, LDS } from '../xds/resource-type';
import { envoySentences } from './envoy-sentences';
import { findResourceTypeOfMessage } from './find-resource-type';
import { type FieldHint, type NackStatement, type Subject, statementOf } from './nack-statement';
import { type Piece, slicePiece, splitPiece } from './piece';
import { readReportedPath } from './read-reported-path';

/** A piece of the text, and the same with the dumps of messages masked. */
interface Entry {
  readonly raw: Piece;
  readonly masked: Piece;
}

/** Envoy. Returns undefined for texts of other clients. */
export function parseEnvoyErrors(raw: Piece): NackStatement[] | undefined {
  const masked = { text: maskDumps(raw.text), from: raw.from };
  const entry = { raw, masked };
  return parseUpdateErrors(entry) ?? parseCause({}, entry) ?? parseUnknown(entry);
}

/** "Error adding/updating listener(s) a: cause\nb: cause\n", "Error adding/updating cluster(s) a: cause, b: cause" */
function parseUpdateErrors({ raw, masked }: Entry): NackStatement[] | undefined {
  const head = /^Error adding\/updating (listener|cluster)(?:\(s\))? /.exec(masked.text);
  if (head === null) return undefined;
  const [lead, noun] = head;
  const { typeUrl } = noun === 'cluster' ? CDS : LDS;
  const rest = slicePiece(masked, lead.length);
  // Each listener has a line since 1.36; brackets in an error need not be balanced.
  const isByLine = noun === 'listener' && rest.text.includes('\n');
  const separator = /(?:, |\n)(?=[^\s,:\ue000][^\s,\ue000]*: )/y;
  const entries = isByLine ? splitLines(rest) : splitPiece(rest, separator);
  return entries.flatMap((entry) => {
    // Some versions omit the name: ": cause".
    const [named = '', resourceName = ''] = /^([^\ue000]*?): /s.exec(entry.text) ?? [];
    const cause = slicePiece(entry, named.length);
    const start = cause.from - raw.from;
    const own = {
      raw: { text: raw.text.slice(start, start + cause.text.length), from: cause.from },
      masked: cause,
    };
    const subject = { typeUrl, resourceName: resourceName || undefined };
    return parseCause(subject, own) ?? [describe(subject, own)];
  });
}

function splitLines(piece: Piece): Piece[] {
  const starts = [...piece.text.matchAll(/(?:^|\n)(?=[^\s:\ue000][^\s\ue000]*: )/g)];
  const begins = [0, ...starts.map(({ index }) => index).filter((index) => index > 0)];
  return begins.map((begin, place) => slicePiece(piece, begin, begins[place + 1]));
}

function parseCause(subject: Subject, entry: Entry): NackStatement[] | undefined {
  return parseConstraint(subject, entry) ?? parseDeprecated(subject, entry) ?? parseSentence(subject, entry);
}

/**
 * protoc-gen-validate, with the message in text format before it, or after it in older versions:
 *
 *     <message>: Proto constraint validation failed (ClusterValidationError.HealthChecks[0]: embedded message failed
 *     validation | caused by HealthCheckValidationError.Timeout: value is required)
 *
 * In older versions the index is the letter i.
 */
function parseConstraint(subject: Subject, { raw, masked }: Entry): NackStatement[] | undefined {
  const { text } = masked;
  const found =
    /(?:^|Proto constraint validation failed )\((?=\w+ValidationError\.|field: "\w+", reason: )/.exec(text);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  const end = endOfConstraint(text);
  const chain = text.slice(start, end);
  const oneof = /(?:^|\| caused by )field: "(\w+)", reason: /.exec(chain);
  const links = [...chain.matchAll(/(?:^|\| caused by )(\w+)ValidationError\.(\w+)((?:\[[^\]]*\])*): /g)];
  const steps = links.map(([, , name = '', index = '']) => fieldOf(name) + indexOf(index));
  const path = [...steps, ...(oneof?.[1] === undefined ? [] : [readReportedPath(oneof[1])])].join('.');
  const message = links[0]?.[1] ?? messagesOfOneofs.get(oneof?.[1] ?? '') ?? '';
  const type = findResourceTypeOfMessage(message);
  const reported = {
    typeUrl: subject.typeUrl ?? type?.typeUrl,
    resourceName: subject.resourceName ?? (type && nameOfDump(raw.text, text)),
    fieldPath: path || undefined,
    hint: type === undefined ? { message } : {},
  };
  const last = oneof ?? links.at(-1);
  const reasonAt = last === undefined ? 0 : last.index + last[0].length;
  return [statementOf(reported, slicePiece(masked, start + reasonAt, end))];
}

/** An error of an extension's own field does not name the message. */
const messagesOfOneofs = new Map([
  ['cluster_specifier', 'TcpProxy'],
  ['route_specifier', 'HttpConnectionManager'],
  ['upstream_protocol_options', 'HttpProtocolOptions'],
]);

/**
 * "Proto constraint validation failed (Using deprecated option 'envoy.api.v2.Cluster.tls_context' ...): <the message as
 * text>": a field that this version of Envoy does not accept.
 */
function parseDeprecated(subject: Subject, { raw, masked }: Entry): NackStatement[] | undefined {
  const found = /Proto constraint validation failed \((?=Using deprecated option '([\w.]+)')/.exec(
    masked.text,
  );
  if (found === null) return undefined;
  const { 0: opening, 1: option = '', index } = found;
  const reported = {
    typeUrl: subject.typeUrl,
    resourceName: subject.resourceName ?? nameOfDump(raw.text, masked.text),
    fieldPath: readReportedPath(option.split('.').at(-1) ?? ''),
  };
  return [statementOf(reported, slicePiece(masked, index + opening.length, endOfConstraint(masked.text)))];
}

/** The index of the closing bracket, which a dump may follow. */
function endOfConstraint(text: string): number {
  let end = text.length;
  while (end > 0 && (text[end - 1] === maskedChar || /[\s:.]/.test(text.charAt(end - 1)))) end -= 1;
  return text[end - 1] === ')' ? end - 1 : end;
}

/** Reads the name of a resource in text format, which is its first field. */
function nameOfDump(raw: string, masked: string): string | undefined {
  const dump = raw.slice(masked.indexOf(maskedChar)).replace(/^goo\.gle\/debug\w* +/, '');
  return /^\s*(?:cluster_)?name: "((?:[^"\\]|\\.)*)"/.exec(dump)?.[1];
}

/** "HttpHealthCheck" */
function fieldOf(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** "[i]" stands for any element; "[3]" and "[key]" are reported ones. */
function indexOf(brackets: string): string {
  return brackets
    .replace(/\[i\]/g, '[]')
    .replace(/\[(?!\d*\])([^\]]+)\]/g, (_, key: string) => `[${JSON.stringify(key)}]`);
}

function parseSentence(subject: Subject, entry: Entry): NackStatement[] | undefined {
  const text = withoutDumps(entry.raw.text);
  const duration = readDuration(text);
  if (duration !== undefined) return [describe({ ...subject, hint: { value: duration } }, entry)];
  for (const { pattern, typeUrl, fieldPath, hint } of envoySentences) {
    const groups = pattern.exec(text)?.groups;
    if (groups === undefined && !pattern.test(text)) continue;
    const { value, elementName, message, command, resource } = groups ?? {};
    if (message !== undefined && findResourceTypeOfMessage(message.split('.').at(-1) ?? '') !== undefined) {
      return [describe({ ...subject, fieldPath: '' }, entry)];
    }
    const reported: FieldHint = {
      ...hint,
      ...(value !== undefined && { value }),
      ...(elementName !== undefined && { elementName }),
      ...(message !== undefined && { message }),
      ...(command !== undefined && { value: `%${command}` }),
    };
    return [
      describe(
        {
          typeUrl: subject.typeUrl ?? typeUrl,
          // The sentence may name the route configuration inside a listener.
          resourceName: subject.typeUrl === undefined ? resource : subject.resourceName,
          fieldPath,
          hint: reported,
        },
        entry,
      ),
    ];
  }
  return undefined;
}

/** Reads the duration in "Invalid duration: Expected positive duration: seconds: -1", in proto3 JSON. */
function readDuration(text: string): string | undefined {
  const [, seconds, nanos = '0'] =
    /^Invalid duration: .*?(?:: )?seconds: (-?\d+)(?: nanos: (-?\d+))?$/.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  const fraction = `${Math.abs(Number(nanos))}`.padStart(9, '0').replace(/0+$/, '');
  return `${seconds}${fraction === '' ? '' : `.${fraction}`}s`;
}

/**
 * An unknown error with a message printed into it, or only the message: Envoy ends errors after 4,096 characters with
 * "...(truncated)", and the cause may come later.
 */
function parseUnknown(entry: Entry): NackStatement[] | undefined {
  const { raw, masked } = entry;
  if (!masked.text.includes(maskedChar)) return undefined;
  const isOnlyDump = masked.text.startsWith(maskedChar);
  return [describe({ resourceName: isOnlyDump ? nameOfDump(raw.text, masked.text) : undefined }, entry)];
}

function describe(subject: Subject, { raw }: Entry): NackStatement {
  const piece = slicePiece(raw, 0);
  return { ...statementOf(subject, piece), reason: withoutDumps(piece.text) };
}

/** Stands for a character of a dump. Texts of clients contain no such character. */
const maskedChar = '\ue000';

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
function maskDumps(text: string): string {
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
      result += text.slice(at, at + begin) + maskedChar.repeat(end - at - begin) + text.slice(end, next);
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
function withoutDumps(text: string): string {
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
