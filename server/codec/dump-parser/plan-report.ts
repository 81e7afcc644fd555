import { isUtf8 } from 'node:buffer';
import { decodeText } from '../input/decode-text';
import { encodeText } from '../input/encode-text';
import { parseYaml } from '../input/parse-notation';
import { findTypeOfText, readTextFormat } from '../input/read-text-format';
import { TextFieldError } from '../input/text-fields';
import { type ByteSource, type Bytes, reaches, sourceOf, wholeOf } from './byte-source';
import { JsonView, skipBlanks } from './json-view';
import { nameStrangeFile } from './name-strange-file';
import { JsonPlanner } from './plan-json';
import { ProtobufPlanner, splitGrpcFrames } from './plan-protobuf';
import { PlannedReport, type ReportPlan, ranks } from './report-plan';
import { ValueView } from './value-view';
import { yamlDocuments } from './yaml-view';

/** What is parsed in one go costs some hundred times its size in memory. */
const mostTextBytes = 8 * 1024 * 1024;
const mostAwaitedBytes = 1024 * 1024;
const mostFlowYamlBytes = 64 * 1024;

/**
 * What is to be read in a file, found by its content: JSON (several documents one after the other, too), YAML,
 * protobuf's text format, binary protobuf. Never throws for what the bytes are. JSON is gone through while it comes in:
 * `onElement` hears of a report of JSON whenever one more element of it has been found.
 */
export function planReport(given: Bytes, onElement?: (report: PlannedReport) => void): ReportPlan {
  const source = sourceOf(given);
  const start = skipBlanks(source, hasMark(source) ? 3 : 0);
  if (!reaches(source, start)) return nothing('json', 'expected a document, got nothing');
  const first = String.fromCharCode(source.bytes[start] ?? 0);
  const isJson = first === '{' || first === '[';
  const plan = isJson ? planJson(source, start, onElement) : undefined;
  const bytes = wholeOf(source);
  if (plan !== undefined) {
    // YAML may begin so as well, when somebody writes it by hand.
    if (plan.reports.length > 0 || bytes.length > mostFlowYamlBytes) return plan;
    const yaml = planText(bytes, start);
    return yaml !== undefined && yaml.reports.length > 0 ? yaml : plan;
  }
  if (bytes.length > mostTextBytes) return planYamlBlocks(bytes, start) ?? planProtobuf(bytes);
  return planText(bytes, start) ?? planProtobuf(bytes);
}

function planJson(
  source: ByteSource,
  start: number,
  onElement?: (report: PlannedReport) => void,
): ReportPlan {
  const planner = new JsonPlanner('JSON', onElement);
  const { problems } = planner;
  let documents = 0;
  for (let at = start; reaches(source, at); documents += 1) {
    const view = new JsonView(source, at);
    const isFirst = documents === 0;
    const place = isFirst && isAlone(view, source) ? '' : `documents[${documents}]`;
    if (!planner.document(view, place)) break;
    at = skipBlanks(source, view.findEnd());
    if (reaches(source, at) && view.kind === 'other') break;
  }
  return { kinds: [...planner.kinds], format: 'json', reports: planner.found(), problems };
}

/** Nothing stands behind the first document of most files, and the last byte reports; of a large one nobody waits for it. */
function isAlone(view: JsonView, source: ByteSource): boolean {
  if (reaches(source, mostAwaitedBytes)) return true;
  try {
    return !reaches(source, skipBlanks(source, view.findEnd()));
  } catch {
    return true; // It breaks within the first.
  }
}

/** undefined: it is no text. */
function planText(bytes: Uint8Array, start: number): ReportPlan | undefined {
  const text = decodeText(bytes);
  if (text === undefined) return undefined;
  const parsed = parseYaml(text);
  if (parsed.ok && parsed.documents.some((document) => typeof document === 'object' && document !== null)) {
    const planner = new JsonPlanner('YAML');
    for (const [index, document] of parsed.documents.entries()) {
      if (document === null) continue;
      const place = parsed.documents.length > 1 ? `documents[${index}]` : '';
      planner.document(new ValueView(document), place);
    }
    return {
      kinds: [...planner.kinds],
      format: 'yaml',
      reports: planner.reports,
      problems: planner.problems,
    };
  }
  if (!parsed.ok && parsed.limit !== undefined) {
    const blocks = planYamlViews(bytes, start);
    if (blocks.reports.length > 0) return blocks;
  }
  const { resources, problems, kind } = readTextFormat(text, undefined);
  if (resources.length > 0) {
    const isOfClient = kind === 'config-dump' || kind === 'client-status' || kind === 'bootstrap';
    const report = new PlannedReport('', isOfClient ? 'client' : 'control-plane');
    for (const { typeUrl, name, bytes: value } of resources) {
      const message = { name, xdsConfig: { type_url: typeUrl, value } };
      report.add(ranks.rest, { read: () => ({ messages: [message], problems: [] }) });
    }
    const reported = problems.map((problem) => ({ ...problem, offset: null }));
    return {
      kinds: [kind === 'resource' ? 'resources' : kind],
      format: 'text',
      reports: [report],
      problems: reported,
    };
  }
  const strange = nameStrangeFile(bytes);
  if (strange !== undefined)
    return nothing('yaml', `expected JSON, YAML, protobuf text or protobuf, got ${strange}`);
  const reason = parsed.ok ? 'one value alone' : parsed.reason;
  return nothing('yaml', `expected JSON, YAML, protobuf text or protobuf; as YAML it is ${reason}`);
}

/** Large YAML, element by element; undefined: it is no text. */
function planYamlBlocks(bytes: Uint8Array, start: number): ReportPlan | undefined {
  if (decodeText(bytes.subarray(0, seenBytes(bytes))) === undefined || !isUtf8(bytes)) return undefined;
  const plan = planYamlViews(bytes, start);
  if (plan.reports.length > 0) return plan;
  const text = planLargeText(bytes);
  if (typeof text !== 'string') return text;
  const reason = `expected JSON, YAML in blocks, protobuf or its text format, got ${bytes.length} bytes`;
  const asYaml = plan.problems[0]?.reason ?? 'nothing in it';
  return nothing('yaml', `${reason}; as YAML: ${asYaml}; as protobuf's text format: ${text}`);
}

function planYamlViews(bytes: Uint8Array, start: number): ReportPlan {
  const planner = new JsonPlanner('YAML');
  const views = yamlDocuments(bytes, start);
  for (const [index, view] of views.entries()) {
    planner.document(view, views.length > 1 ? `documents[${index}]` : '');
  }
  const { kinds, problems } = planner;
  return { kinds: [...kinds], format: 'yaml', reports: planner.found(), problems };
}

/** protobuf's text format, brought into binary piece by piece; or why it is none. */
function planLargeText(bytes: Uint8Array): ReportPlan | string {
  try {
    const type = findTypeOfText(bytes);
    if (type === undefined) return 'no resource, and no message with resources in it, has such fields';
    const encoded = encodeText(type, bytes);
    const planner = new ProtobufPlanner();
    planner.document(encoded, '', type.fullName.slice(1));
    const { kinds, reports, problems } = planner;
    if (reports.length === 0) return problems[0]?.reason ?? `nothing in this ${type.name}`;
    return { kinds: [...kinds], format: 'text', reports, problems };
  } catch (error) {
    if (!(error instanceof TextFieldError)) throw error;
    return `${error.message}, from byte ${error.offset} on`;
  }
}

/** So much of a large text reports that it is one, up to the end of a line. */
function seenBytes(bytes: Uint8Array): number {
  return bytes.lastIndexOf(0x0a, 64 * 1024) + 1;
}

function planProtobuf(bytes: Uint8Array): ReportPlan {
  const planner = new ProtobufPlanner();
  const frames = splitGrpcFrames(bytes);
  for (const [index, frame] of frames.entries()) {
    planner.document(frame, frames.length > 1 ? `messages[${index}]` : '');
  }
  const { kinds, reports, problems } = planner;
  return { kinds: [...kinds], format: 'protobuf', reports, problems };
}

function hasMark(source: ByteSource): boolean {
  if (!reaches(source, 2)) return false;
  const { bytes } = source;
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function nothing(format: ReportPlan['format'], reason: string): ReportPlan {
  return { kinds: [], format, reports: [], problems: [{ place: '', offset: 0, reason }] };
}
