import { parseExactJson } from '../../codec/parse-exact-json';
import { parseYamlDocuments } from '../../codec/parse-yaml-documents';
import { parseTarget } from '../../transport/targets/target';

/** A target of a file or a DNS answer. */
export interface FoundTarget {
  /** host:port, normalized. */
  readonly target: string;
  readonly label: string;
}

interface ParsedTargetList {
  readonly targets: readonly FoundTarget[];
  /** Lines and entries that could not be read, each with its place. All others are used. */
  readonly problems: readonly string[];
}

const maxProblems = 20;
/** Larger meshes are observed through their control planes. */
const maxTargets = 50_000;

/**
 * Parses a file of targets: lines of `host:port [label]` (# begins a comment), or, as JSON or YAML, the file_sd format
 * of Prometheus: a list of `{targets: [host:port, ...], labels: {...}}`, or of plain `host:port`. The label `name` is
 * the label of the targets of its group. Throws an Error for any other document.
 */
export function parseTargetList(text: string): ParsedTargetList {
  const targets = new Map<string, FoundTarget>();
  const problems: string[] = [];
  let omitted = 0;
  const reject = (problem: string): void => {
    if (problems.length < maxProblems) problems.push(problem);
    else omitted++;
  };
  const add: AddTarget = (value, label, where) => {
    const parsed = parseTarget(typeof value === 'string' ? value : '');
    if (typeof value !== 'string') reject(`${where}: expected host:port, got ${shown(value)}`);
    else if (!parsed.ok) reject(`${where}: ${parsed.problem.message}`);
    else if (targets.size >= maxTargets) reject(`${where}: left out, expected at most ${maxTargets} targets`);
    else targets.set(parsed.target.text, { target: parsed.target.text, label: label || parsed.target.text });
  };
  const document = isDocument(text) ? readDocument(text) : undefined;
  if (document === undefined) addLines(text, add);
  else addGroups(document, add, reject);
  if (omitted > 0) problems.push(`and ${omitted} more problems`);
  return { targets: [...targets.values()], problems };
}

type AddTarget = (value: unknown, label: string, where: string) => void;

function isDocument(text: string): boolean {
  return /^\s*(?:\[|\{|---|- )/.test(text.replace(/^\s*#.*$/gm, ''));
}

function readDocument(text: string): unknown {
  let documents: readonly unknown[];
  try {
    documents = text.trimStart().startsWith('[') ? [parseExactJson(text)] : parseYamlDocuments(text);
  } catch (cause) {
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
    if (reason.startsWith('expected ')) throw new Error(reason);
    throw new Error(`expected JSON or YAML, got something else (${reason})`);
  }
  if (documents.length > 1) throw new Error(`expected one document of YAML, got ${documents.length}`);
  return documents[0] ?? null;
}

function addLines(text: string, add: AddTarget): void {
  for (const [index, line] of text.split('\n').entries()) {
    const [target = '', ...label] = line
      .replace(/(?:^|\s)#.*$/, '')
      .trim()
      .split(/\s+/);
    if (target !== '') add(target, label.join(' '), `line ${index + 1}`);
  }
}

function addGroups(document: unknown, add: AddTarget, reject: (problem: string) => void): void {
  if (!Array.isArray(document)) {
    throw new Error(`expected a list of targets or of groups of targets, got ${shown(document)}`);
  }
  for (const [index, group] of document.entries()) {
    if (typeof group === 'string') {
      add(group, '', `[${index}]`);
      continue;
    }
    const targets = readField(group, 'targets');
    if (!Array.isArray(targets)) {
      reject(`[${index}]: expected host:port, or a group with targets, got ${shown(group)}`);
      continue;
    }
    const name = readField(readField(group, 'labels'), 'name');
    for (const [place, value] of targets.entries()) {
      add(value, typeof name === 'string' ? name : '', `[${index}].targets[${place}]`);
    }
  }
}

function readField(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
}

function shown(value: unknown): string {
  const text =
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ??
    'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
