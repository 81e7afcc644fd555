import { resourceKey } from '@/lib/observation/client-state';
import type { NodeInfo } from '@/lib/observation/observation';
import { normaliseTypeUrl } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { Body } from '../../observe';
import { readNodeInfo } from '../node-info';
import { redactJson } from '../redact-json';
import type { RedactionMarker } from '../redaction-marker';
import { bytesOf, joinStages, type KeepBody, type ReportedResource, readResource } from '../resource-message';
import { findMessageType } from '../root';
import { takeBody } from '../take-body';
import type { PlannedReport, ReportElement, ReportProblem } from './report-plan';

/** Rows of one report that were read together. */
export interface ReportBatch {
  readonly rows: readonly ReportedResource[];
  /** Every body that the rows name, once. */
  readonly bodies: readonly Body[];
  readonly problems: readonly ReportProblem[];
  /** How many elements of the document this was. */
  readonly elements: number;
}

/** So much of a report is reported at once; one larger body may exceed it. */
const batchLimits = { elements: 500, bodyBytes: 512 * 1024 };
/** Of the first of a report: somebody waits for it, and nothing of the code that reads it is warm yet. */
const firstLimits = { elements: 50, bodyBytes: 64 * 1024 };

export function nodeOf({ node }: PlannedReport, marker: RedactionMarker): NodeInfo {
  return readNodeInfo(node, (json) => redactJson(json, marker));
}

/** Reads a report element by element, and redacts and hashes its bodies. Each body comes with the first that names it. */
export function* readReport(
  report: Pick<PlannedReport, 'elements'>,
  marker: RedactionMarker,
): Generator<ReportBatch> {
  const seen = new Set<string>();
  /** Not in use, or not only: what comes under the same name becomes one row with it. */
  const staged = new Map<string, ReportedResource>();
  let rows: ReportedResource[] = [];
  let problems: ReportProblem[] = [];
  let bodies = new Map<string, Body>();
  let bodyBytes = 0;
  let elements = 0;
  let limits = firstLimits;
  const keep: KeepBody = (any, typeUrl) => {
    if (!any || (!any.type_url && !any.value?.length)) return undefined;
    // Its type is not known, and so JSON has no bytes of it.
    if (any.value === undefined && findMessageType(any.type_url ?? '') === undefined) return undefined;
    const { body } = takeBody(
      readTypeUrl(normaliseTypeUrl(any.type_url || typeUrl)).typeUrl,
      bytesOf(any),
      marker,
    );
    if (!bodies.has(body.hash)) {
      bodies.set(body.hash, body);
      bodyBytes += body.bytes.length;
    }
    return body;
  };
  for (const element of report.elements()) {
    const { messages, problems: found } = element.read();
    problems.push(...found);
    for (const message of messages) {
      const row = readResource(message, keep);
      const key = resourceKey(row);
      const known = staged.get(key);
      const joined = known === undefined ? undefined : joinStages(row, known);
      if (joined !== undefined) {
        staged.delete(key);
        rows.push(joined);
      } else if (!seen.has(key)) {
        if (row.stage !== undefined) staged.set(key, row);
        rows.push(row);
      } else if (!message.isStaticResource || row.name !== '')
        problems.push(...repeated(row, element, message.isStaticResource));
      seen.add(key);
    }
    elements += 1;
    if (elements < limits.elements && bodyBytes < limits.bodyBytes) continue;
    yield { rows, bodies: [...bodies.values()], problems, elements };
    limits = batchLimits;
    [rows, problems, bodies, bodyBytes, elements] = [[], [], new Map(), 0, 0];
  }
  if (elements > 0) yield { rows, bodies: [...bodies.values()], problems, elements };
}

/** A bootstrap reports again what the dumps of their types tell: that is no trouble. */
function repeated(
  { typeUrl, name }: ReportedResource,
  { place = '', offset = null }: ReportElement,
  isStatic: boolean | undefined,
): ReportProblem[] {
  if (isStatic === true) return [];
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  const reason = `"${shown}" (${typeUrl.split('.').at(-1)}) is there twice; the first one counts`;
  return [{ place, offset, reason }];
}
