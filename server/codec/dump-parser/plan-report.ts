import { isUtf8 } from 'node:buffer';
import { decodeText } from '../input/decode-text';
import { encodeText } from '../input/encode-text';
import { parseYaml } from '../input/parse-notation';
import { TextFieldError } from '../input/text-fields';
import { findTypesOfText } from '../input/types-of-text';
import { readAdminLines } from './admin-lines';
import { type ByteSource, type Bytes, reaches, sourceOf, wholeOf } from './byte-source';
import { explainUnknownFile } from './explain-unknown-file';
import { JsonView, skipBlanks } from './json-view';
import { JsonPlanner, type PlanOptions } from './plan-json';
import { ProtobufPlanner, splitGrpcFrames } from './plan-protobuf';
import type { ReportPlan } from './report-plan';
import { ValueView } from './value-view';
import { yamlDocuments } from './yaml-view';

/** A larger text is not parsed at once, which takes about a hundred times its size in memory. */
const mostTextBytes = 8 * 1024 * 1024;
const mostAwaitedBytes = 1024 * 1024;
const mostFlowYamlBytes = 64 * 1024;
/** Binary protobuf has a control character among this many leading bytes. */
const sniffedBytes = 64 * 1024;

/**
 * Finds what can be read in a document of any notation: JSON (also several documents in a row), YAML,
 * protobuf's text format or binary protobuf. Never throws for the content of the bytes. JSON is scanned while
 * it arrives.
 */
export function planReport(given: Bytes, options: PlanOptions = {}): ReportPlan {
  const { typeUrl } = options;
  const source = sourceOf(given);
  const start = skipBlanks(source, hasByteOrderMark(source) ? 3 : 0);
  if (!reaches(source, start)) return nothing('json', 'expected a document, got nothing');
  const first = String.fromCharCode(source.bytes[start] ?? 0);
  const isJson = first === '{' || first === '[';
  const plan = isJson ? planJson(source, start, options) : undefined;
  const bytes = wholeOf(source);
  if (plan !== undefined) {
    if (plan.reports.length > 0) return plan;
    // A length may look like a bracket in binary protobuf.
    if (!isTextStart(bytes)) return planProtobuf(bytes, typeUrl);
    // Hand-written YAML may begin with a bracket as well.
    const yaml = bytes.length > mostFlowYamlBytes ? undefined : planText(bytes, start, typeUrl);
    return yaml !== undefined && yaml.reports.length > 0 ? yaml : plan;
  }
  const lines = planLines(bytes, options);
  if (lines !== undefined) return lines;
  const isLarge = bytes.length > mostTextBytes;
  const text = isLarge ? planLargeText(bytes, start, typeUrl) : planText(bytes, start, typeUrl);
  return text ?? planProtobuf(bytes, typeUrl);
}

function planJson(source: ByteSource, start: number, options: PlanOptions): ReportPlan {
  const planner = new JsonPlanner('JSON', options.typeUrl, options);
  let documents = 0;
  for (let at = start; reaches(source, at); documents += 1) {
    const view = new JsonView(source, at);
    const place = documents === 0 && isAlone(view, source) ? '' : `documents[${documents}]`;
    if (!planner.document(view, place)) break;
    at = skipBlanks(source, view.findEnd());
    if (reaches(source, at) && view.kind === 'other') break;
  }
  return planner.finish('json');
}

/** Returns whether this is the only document. A large one counts as such, because its end has not been scanned. */
function isAlone(view: JsonView, source: ByteSource): boolean {
  if (reaches(source, mostAwaitedBytes)) return true;
  try {
    return !reaches(source, skipBlanks(source, view.findEnd()));
  } catch {
    return true; // The first document is broken.
  }
}

/** Returns undefined if the bytes are not in the text form of Envoy's admin interface. */
function planLines(bytes: Uint8Array, options: PlanOptions): ReportPlan | undefined {
  // The first line decides before a large document is decoded.
  if (
    !isTextStart(bytes) ||
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(sniffedBytes, bytes.length)).indexOf('::') === -1
  )
    return undefined;
  const text = decodeText(bytes);
  const json = text === undefined ? undefined : readAdminLines(text);
  if (json === undefined) return undefined;
  const planner = new JsonPlanner('JSON', '', options);
  planner.document(new ValueView(json), '');
  return planner.finish('lines');
}

/** Returns undefined if the bytes are not text. */
function planText(bytes: Uint8Array, start: number, typeUrl: string | undefined): ReportPlan | undefined {
  const text = decodeText(bytes);
  if (text === undefined) return undefined;
  const parsed = parseYaml(text);
  if (parsed.ok && parsed.documents.some((document) => typeof document === 'object' && document !== null)) {
    const planner = new JsonPlanner('YAML', typeUrl);
    for (const [index, document] of parsed.documents.entries()) {
      const place = parsed.documents.length > 1 ? `documents[${index}]` : '';
      if (document !== null) planner.document(new ValueView(document), place);
    }
    return planner.finish('yaml');
  }
  if (!parsed.ok && parsed.limit !== undefined) {
    const blocks = planYamlViews(bytes, start, typeUrl);
    if (blocks.reports.length > 0) return blocks;
  }
  const plan = planTextFormat(bytes, typeUrl);
  if (typeof plan !== 'string') return plan;
  const expected = 'expected JSON, YAML, protobuf text or protobuf';
  const strange = explainUnknownFile(bytes);
  if (strange !== undefined) return nothing('yaml', `${expected}, got ${strange}`);
  return nothing('yaml', `${expected}; as YAML it is ${parsed.ok ? 'one value alone' : parsed.reason}`);
}

/** Reads YAML as planText() does, but element by element. */
function planLargeText(
  bytes: Uint8Array,
  start: number,
  typeUrl: string | undefined,
): ReportPlan | undefined {
  if (!isTextStart(bytes) || !isUtf8(bytes)) return undefined;
  const plan = planYamlViews(bytes, start, typeUrl);
  if (plan.reports.length > 0) return plan;
  const text = planTextFormat(bytes, typeUrl);
  if (typeof text !== 'string') return text;
  const reason = `expected JSON, YAML in blocks, protobuf or its text format, got ${bytes.length} bytes`;
  const asYaml = plan.problems[0]?.reason ?? 'nothing in it';
  return nothing('yaml', `${reason}; as YAML: ${asYaml}; as protobuf's text format: ${text}`);
}

function planYamlViews(bytes: Uint8Array, start: number, typeUrl: string | undefined): ReportPlan {
  const planner = new JsonPlanner('YAML', typeUrl);
  const views = yamlDocuments(bytes, start);
  for (const [index, view] of views.entries()) {
    planner.document(view, views.length > 1 ? `documents[${index}]` : '');
  }
  return planner.finish('yaml');
}

/** Returns the reason if the document is not in protobuf's text format. */
function planTextFormat(bytes: Uint8Array, typeUrl: string | undefined): ReportPlan | string {
  let reason = 'no resource, and no message with resources in it, has such fields';
  try {
    for (const type of findTypesOfText(bytes, typeUrl)) {
      try {
        const planner = new ProtobufPlanner();
        planner.document(encodeText(type, bytes), '', type.fullName.slice(1));
        const { kinds, reports, problems } = planner;
        if (reports.length > 0) return { kinds: [...kinds], format: 'text', reports, problems };
        reason = problems[0]?.reason ?? `nothing in this ${type.name}`;
      } catch (error) {
        reason = explainTextError(error);
      }
    }
  } catch (error) {
    reason = explainTextError(error);
  }
  return reason;
}

/** Rethrows any other error. */
function explainTextError(error: unknown): string {
  if (!(error instanceof TextFieldError)) throw error;
  return `${error.message}, from byte ${error.offset} on`;
}

/** Returns whether the leading bytes, up to the end of a line, are text. */
function isTextStart(bytes: Uint8Array): boolean {
  const end = bytes.length <= sniffedBytes ? bytes.length : bytes.lastIndexOf(0x0a, sniffedBytes) + 1;
  return decodeText(bytes.subarray(0, end)) !== undefined;
}

export function planProtobuf(bytes: Uint8Array, typeUrl?: string): ReportPlan {
  const planner = new ProtobufPlanner();
  const frames = typeUrl === undefined ? splitGrpcFrames(bytes) : [bytes];
  for (const [index, frame] of frames.entries()) {
    planner.document(frame, frames.length > 1 ? `messages[${index}]` : '', typeUrl);
  }
  const { kinds, reports, problems } = planner;
  return { kinds: [...kinds], format: 'protobuf', reports, problems };
}

function hasByteOrderMark(source: ByteSource): boolean {
  if (!reaches(source, 2)) return false;
  const { bytes } = source;
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function nothing(format: ReportPlan['format'], reason: string): ReportPlan {
  return { kinds: [], format, reports: [], problems: [{ place: '', offset: 0, reason }] };
}
