import { resourceKey } from '@/lib/observation/client-state';
import type { NodeInfo } from '@/lib/observation/observation';
import { LDS, normaliseTypeUrl } from '@/lib/xds/resource-type';
import { readTypeUrl } from '@/lib/xds/v2-types';
import type { Body } from '../../observe';
import { DistinctNames } from '../distinct-names';
import { showName } from '../json/show-value';
import { readNodeInfo } from '../node-info';
import { redactJson } from '../redact-json';
import type { RedactionMarker } from '../redaction-marker';
import {
  bytesOf,
  isWaiting,
  joinStages,
  type KeepBody,
  placeGoodConfig,
  type ReportedResource,
  readResource,
} from '../resource-message';
import { findMessageType } from '../root';
import { sanitizeBody } from '../sanitize-body';
import { EndpointHealthIndex } from './endpoint-health';
import type { PlannedReport, ReportElement, ReportedSockets, ReportProblem } from './report-plan';

export interface ReportBatch {
  readonly rows: readonly ReportedResource[];
  /** Contains each body that the rows refer to once. */
  readonly bodies: readonly Body[];
  readonly problems: readonly ReportProblem[];
  readonly elements: number;
  /** What the elements report beside resources. */
  readonly sockets: readonly ReportedSockets[];
}

/** Limits a batch. The last body may exceed them. */
const batchLimits = { elements: 500, bodyBytes: 512 * 1024 };
/** Limits the first batch, which a user waits for and which is read by cold code. */
const firstLimits = { elements: 50, bodyBytes: 64 * 1024 };

export function nodeOf({ node }: PlannedReport, marker: RedactionMarker): NodeInfo {
  return readNodeInfo(node, (json) => redactJson(json, marker));
}

/** Reads a report element by element. A body is redacted, and in the batch of the first row that refers to it. */
export function* readReport(
  report: Pick<PlannedReport, 'elements' | 'node'> & Partial<Pick<PlannedReport, 'removals' | 'side'>>,
  marker: RedactionMarker,
): Generator<ReportBatch> {
  const seen = new Set<string>();
  const names = new DistinctNames();
  /** Rows with a stage, which become part of the row of the same name that is in use. */
  const staged = new Map<string, ReportedResource>();
  const errors = new ErrorsAlone();
  let rows: ReportedResource[] = [];
  let problems: ReportProblem[] = [];
  let bodies = new Map<string, Body>();
  let bodyBytes = 0;
  let elements = 0;
  let sockets: ReportedSockets[] = [];
  const health = new EndpointHealthIndex();
  let limits = firstLimits;
  const keep: KeepBody = (any, typeUrl) => {
    if (!any || (!any.type_url && !any.value?.length)) return undefined;
    // JSON of an unknown type has no bytes.
    if (any.value === undefined && findMessageType(any.type_url ?? '') === undefined) return undefined;
    const { body } = sanitizeBody(
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
    const { messages, problems: found, sockets: own } = element.read();
    problems.push(...found);
    if (own !== undefined) {
      sockets.push(own);
      health.add(own.health);
    }
    for (const message of messages.map((each) => health.apply(each))) {
      const read = readResource(placeGoodConfig(message, report.node), keep);
      const row = report.side === 'control-plane' ? asSent(read) : read;
      const key = resourceKey(row);
      if (message.isErrorAlone === true && row.name !== '') {
        errors.add(key, row);
        continue;
      }
      const known = staged.get(key);
      const joined = known === undefined ? undefined : joinStages(row, known);
      errors.note(key, joined ?? row);
      if (joined !== undefined) {
        staged.delete(key);
        rows.push(joined);
      } else if (!seen.has(key)) {
        if (isWaiting(row)) staged.set(key, row);
        names.next(row);
        rows.push(row);
      } else {
        const named = names.next(row);
        if (named !== undefined) rows.push(named);
        else if (!message.isStaticResource) problems.push(repeated(row, element));
      }
      seen.add(key);
    }
    elements += 1;
    if (elements < limits.elements && bodyBytes < limits.bodyBytes) continue;
    yield { rows, bodies: [...bodies.values()], problems, elements, sockets };
    limits = batchLimits;
    [rows, problems, bodies, bodyBytes, elements, sockets] = [[], [], new Map(), 0, 0, []];
  }
  rows.push(...errors.rest());
  const { removals = [] } = report;
  if (removals.length > 0) problems.push({ place: 'removed_resources', reason: describeRemovals(removals) });
  if (elements > 0 || rows.length > 0 || problems.length > 0)
    yield { rows, bodies: [...bodies.values()], problems, elements, sockets };
}

/** A control plane states no stages, and no status of a client. What it has of a bootstrap is not a report of an Envoy. */
function asSent({ stage: _, otherVersions: _versions, ...row }: ReportedResource): ReportedResource {
  const sent = { ...row, clientStatus: 'UNKNOWN', configStatus: 'UNKNOWN' } as const;
  return row.isStatic ? { ...sent, doubt: 'configured' } : sent;
}

const namesShown = 5;

function describeRemovals(removals: PlannedReport['removals']): string {
  const names = removals.slice(0, namesShown).map(({ name }) => showName(name));
  const more = removals.length > namesShown ? ` and ${removals.length - namesShown} more` : '';
  return `removed, so that no resource of this name is shown: ${names.join(', ')}${more}`;
}

/** Errors of rejected configurations, which become part of the entries of their resources. */
class ErrorsAlone {
  readonly #errors = new Map<string, ReportedResource>();
  /** Accepted resources of types that can have errors. */
  readonly #entries = new Map<string, ReportedResource | 'rejected'>();

  add(key: string, row: ReportedResource): void {
    this.#errors.set(key, row);
  }

  note(key: string, row: ReportedResource): void {
    if (row.typeUrl !== LDS.typeUrl || row.isStatic || this.#entries.has(key)) return;
    this.#entries.set(key, row.errorState === null ? row : 'rejected');
  }

  /** The rows that the errors change or add: Envoy mostly reports the same error with the entry. */
  rest(): ReportedResource[] {
    return [...this.#errors].flatMap(([key, row]) => {
      const entry = this.#entries.get(key);
      if (entry === 'rejected') return [];
      const { errorState, clientStatus } = row;
      return [entry === undefined ? row : { ...entry, errorState, clientStatus }];
    });
  }
}

/** The problem of a repeated resource. Those of a bootstrap are also in dumps, which is not a problem. */
function repeated({ typeUrl, name }: ReportedResource, { place = '', offset }: ReportElement): ReportProblem {
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  const reason = `"${shown}" (${typeUrl.split('.').at(-1)}) is there twice; the first one counts`;
  return { place, offset, reason };
}
