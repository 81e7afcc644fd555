import { endOfQuoted } from './piece';
import { readReportedPath } from './read-reported-path';

interface FieldName {
  readonly text: string;
  /** True in "the lrs_server field". */
  readonly isCalledField: boolean;
}

/**
 * Finds the field that a sentence mentions ("outlier_detection.interval = -1s", "unsupported tls_params field"), in proto3
 * JSON. Of two fields, one inside the other, it is the inner one; of siblings, their parent. Returns undefined if the
 * sentence mentions no field, or several without a common parent.
 */
export function findFieldInText(sentence: string): string | undefined {
  const names = [...listFieldNames(sentence)];
  const called = names.filter(({ isCalledField }) => isCalledField);
  const paths = (called.length > 0 ? called : names).map(({ text }) => text.split('.'));
  const [first, ...others] = paths;
  if (first === undefined) return undefined;
  let common: readonly string[] = first;
  for (const path of others) {
    if (isPrefix(common, path)) common = path;
    else if (!isPrefix(path, common))
      common = common.slice(
        0,
        common.findIndex((step, at) => step !== path[at]),
      );
    if (common.length === 0) return undefined;
  }
  return readReportedPath(common.join('.'));
}

function isPrefix(shorter: readonly string[], longer: readonly string[]): boolean {
  return shorter.length <= longer.length && shorter.every((step, index) => step === longer[index]);
}

/** Matches words that look like fields: "a_b", "a.b_c", "aB", with or without the name of a message before. */
const field =
  /^(?:[A-Z]\w*\.)?((?:[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:\[[^\]]*\])?\.)*[a-z][a-z0-9]*(?:_[a-z0-9]+)*(?:\[[^\]]*\])?|[a-z]+(?:[A-Z][a-z0-9]+)+)$/;

/** Dots alone do not make a field: "envoy.filters.http.fault", "10.0.0.1". */
function isFieldLike(text: string, hasMessage: boolean): boolean {
  if (/^(?:envoy|xds|udpa|google|type|grpc|com|io)\./.test(text)) return false;
  return hasMessage || text.includes('_') || /[a-z][A-Z]/.test(text);
}

/** Excludes the text of the message itself: quotes, braces, "name:value". */
function* listFieldNames(sentence: string): Generator<FieldName> {
  let depth = 0;
  const token = /[\w.[\]/-]+/y;
  for (let at = 0; at < sentence.length; ) {
    const char = sentence.charAt(at);
    if (char === '"') at = endOfQuoted(sentence, at) + 1;
    else if (char === "'") at = endOfSingleQuoted(sentence, at) + 1;
    else if (char === '{' || char === '}') {
      depth = Math.max(0, depth + (char === '{' ? 1 : -1));
      at += 1;
    } else {
      token.lastIndex = at;
      const [whole = ''] = token.exec(sentence) ?? [];
      if (whole === '') {
        at += 1;
        continue;
      }
      at += whole.length;
      const isPrinted = /^:[^\s]/.test(sentence.slice(at, at + 2));
      const text = field.exec(whole.replace(/\.+$/, ''))?.[1];
      if (depth > 0 || isPrinted || text === undefined) continue;
      if (!isFieldLike(text, /^[A-Z]/.test(whole) && whole.includes('.'))) continue;
      yield { text, isCalledField: /^ field\b/.test(sentence.slice(at, at + 7)) };
    }
  }
}

/** Excludes apostrophes, as in "doesn't". */
function endOfSingleQuoted(sentence: string, opening: number): number {
  if (opening > 0 && /\w/.test(sentence.charAt(opening - 1))) return opening;
  const closing = sentence.indexOf("'", opening + 1);
  return closing < 0 ? opening : closing;
}
