import type { DiffSide } from '@/lib/api/diff';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { type DiffAddress, formatDiffAddress, parseDiffAddress } from '@/lib/view-model/compare/diff-address';
import { takeControlPlane } from '@/lib/view-model/compare/take-side';
import { isProcessDocument } from '@/lib/xds/process-document';
import { badRequest, notFound } from '../../api-error';
import type { ClientSubjects } from '../../subjects/client-subjects';
import type { PermalinksApi } from '../permalinks/permalinks-api';

export interface FoundSide {
  readonly address: DiffAddress;
  readonly reported: DiffSide;
  /** The order is that of buildResourceRows(). */
  readonly rows: readonly ResourceRow[];
  /** Equal revisions mean equal rows. */
  readonly revision: string;
}

export interface DiffSidesOptions {
  readonly subjects: Pick<ClientSubjects, 'find' | 'findReportedRows'>;
  readonly permalinks: Pick<PermalinksApi, 'findSubject'>;
}

/** `field` is the parameter that names the side. Throws 400 if it is no address, 404 if there is no such side. */
export async function findSide(
  options: DiffSidesOptions,
  text: string,
  field: string,
  signal?: AbortSignal,
): Promise<FoundSide> {
  const address = parseDiffAddress(text);
  if (address === undefined) {
    throw badRequest(
      `${field}: expected client/ID, client/ID@MOMENT or permalink/ID, optionally followed by ;control-plane or ;source=ID (clients only), and by /TYPE/NAME, got ${JSON.stringify(text.slice(0, 200))}`,
      field,
    );
  }
  const { what, id, at, side, sourceId } = address;
  const found =
    what === 'client'
      ? await options.subjects.find(id, at ?? undefined, { field, signal })
      : await options.permalinks.findSubject(id);
  if (found === undefined) {
    const noun = what === 'client' ? 'Client' : 'Permalink';
    throw notFound(noun, `${field}: no ${what} has the id ${JSON.stringify(id)}`);
  }
  const reportedRows =
    sourceId === null
      ? undefined
      : await options.subjects.findReportedRows(id, sourceId, at ?? undefined, field);
  const rows = reportedRows ?? (side === null ? found.rows : takeControlPlane(found.rows));
  if (side !== null && rows.length === 0) {
    throw notFound('Report', `${field}: no control plane has reported what it sent to this client`);
  }
  if (sourceId !== null && rows.length === 0) {
    throw notFound(
      'Report',
      `${field}: the source ${JSON.stringify(sourceId)} reports nothing of this client then`,
    );
  }
  const isSent = side !== null || (sourceId !== null && rows.every((row) => row.side === 'control-plane'));
  return {
    address,
    rows,
    revision: 'revision' in found && typeof found.revision === 'string' ? found.revision : '',
    reported: {
      address: formatDiffAddress(address),
      what,
      id,
      clientId: found.client.id,
      nodeId: found.client.nodeId,
      scope: found.client.scope,
      side: isSent ? 'control-plane' : 'client',
      ...(sourceId !== null && { sourceId }),
      at: found.at,
      moment: found.moment,
      resources: rows.filter(({ typeUrl }) => !isProcessDocument(typeUrl)).length,
    },
  };
}
