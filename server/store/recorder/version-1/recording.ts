import type { ClientReport, ClientState } from '@/lib/observation/client-state';
import { resourceKey } from '@/lib/observation/client-state';
import type { Recorded } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import type { KnownSource } from '@/lib/observation/source-directory';
import type { EpochMs } from '@/lib/xds/units';
import type { Body } from '../../../observe';
import { type ClientParts, joinClient } from '../../client-parts';
import { inflateBytes } from '../../deflate';
import type { Gap, Pin } from '../../ranges';
import { parseChanges } from '../../row-columns';
import { undecodable } from '../damaged-file';
import type { Permalink } from '../recorder';
import { bytesOf, SqlFile, type SqlText, textOf } from '../sqlite/sql-file';
import { decodeBatch, decodeBlock } from './decode-log';

const partsPerBlock = 4_096;
const bodyBytesAtOnce = 2 * 1024 * 1024;
const packsAtOnce = 100;
const chunksAtOnce = 100;

/** The rows of a report: chunks, where 0 is an empty one, and layers of changes, the oldest first. */
interface StoredRows {
  readonly chunks: readonly number[];
  readonly layers?: readonly { readonly id: number }[];
}

interface Checkpoint {
  readonly seq: number;
  readonly clients: readonly ClientState[];
  readonly sources: readonly KnownSource[];
}

/** Reads a recording of version 1, which no process may have open. Throws undecodable() and the errors of SQLite. */
export class Recording1 {
  readonly #sql: SqlFile;

  constructor(file: string) {
    this.#sql = new SqlFile(file);
  }

  /** Copies the write-ahead log into the file, so that the recording is one file, and closes it. */
  close(): void {
    this.#sql.closeWhole();
  }

  countBodies(): number {
    return this.#sql.number('SELECT count(*) AS n FROM bodies') ?? 0;
  }

  /** Returns the newest seq of the log, or 0. */
  newestSeq(): number {
    const inBlocks = this.#sql.number('SELECT max(last_seq) AS n FROM blocks') ?? 0;
    return Math.max(inBlocks, this.#sql.number('SELECT max(first_seq) AS n FROM waiting') ?? 0);
  }

  /** Yields the observations in the order of seq, block by block. */
  *observations(): Generator<Recorded[]> {
    const blocks = this.#sql.all<{ id: number }>('SELECT first_seq AS id FROM blocks ORDER BY first_seq');
    for (const { id } of blocks) {
      const row = this.#sql.first<{ parts: SqlText; columns: ArrayBuffer; vocabulary: ArrayBuffer }>(
        'SELECT parts, columns, vocabulary FROM block_index WHERE first_seq = ?',
        [id],
      );
      if (row === undefined) throw undecodable(`block ${id} has no columns`);
      const parts = this.#sql.all<{ bytes: ArrayBuffer }>(
        'SELECT bytes FROM block_parts WHERE id >= ? AND id < ? ORDER BY id',
        [id * partsPerBlock, (id + 1) * partsPerBlock],
      );
      yield decodeBlock({
        columns: bytesOf(row.columns),
        vocabulary: bytesOf(row.vocabulary),
        partCounts: JSON.parse(textOf(row.parts)),
        parts: parts.map(({ bytes }) => bytesOf(bytes)),
      });
    }
    const waiting = this.#sql.all<{ bytes: ArrayBuffer }>('SELECT bytes FROM waiting ORDER BY first_seq');
    for (const { bytes } of waiting) yield decodeBatch(bytesOf(bytes));
  }

  /** Yields all bodies, some MB at a time. */
  *bodies(): Generator<Body[]> {
    let found: Body[] = [];
    let size = 0;
    for (let after = 0; ; ) {
      const packs = this.#sql.all<{ id: number; bytes: ArrayBuffer }>(
        'SELECT id, bytes FROM body_packs WHERE id > ? ORDER BY id LIMIT ?',
        [after, packsAtOnce],
      );
      for (const { id, bytes } of packs) {
        const pack = inflateBytes(bytesOf(bytes));
        const rows = this.#sql.all<{ hash: SqlText; typeUrl: SqlText; size: number; packFrom: number }>(
          'SELECT hash, type_url AS typeUrl, size, pack_from AS packFrom FROM bodies WHERE pack_id = ?',
          [id],
        );
        for (const row of rows) {
          const body = new Uint8Array(pack.subarray(row.packFrom, row.packFrom + row.size));
          found.push({ hash: textOf(row.hash), typeUrl: textOf(row.typeUrl), bytes: body });
        }
        size += pack.length;
        if (size < bodyBytesAtOnce) continue;
        yield found;
        found = [];
        size = 0;
      }
      const last = packs.at(-1);
      if (last === undefined) break;
      after = last.id;
    }
    if (found.length > 0) yield found;
  }

  gaps(): Gap[] {
    const rows = this.#sql.all<Omit<Gap, 'reason'> & { readonly reason: SqlText }>(
      `SELECT from_seq AS fromSeq, to_seq AS toSeq, from_at AS fromAt, to_at AS toAt, reason FROM gaps ORDER BY from_seq`,
    );
    return rows.map((gap) => ({ ...gap, reason: textOf(gap.reason) }));
  }

  pins(): Pin[] {
    const rows = this.#sql.all<
      Omit<Pin, 'clientId' | 'label'> & { readonly clientId: SqlText | null; readonly label: SqlText }
    >(
      `SELECT id, from_at AS "from", to_at AS "to", client_id AS clientId, label, created_at AS createdAt FROM pins
         ORDER BY id`,
    );
    return rows.map((row) => ({
      ...row,
      clientId: row.clientId === null ? null : textOf(row.clientId),
      label: textOf(row.label),
    }));
  }

  *permalinks(): Generator<
    Omit<Permalink, 'content'> & { readonly json: string; readonly hashes: string[] }
  > {
    for (const { id } of this.#sql.all<{ id: SqlText }>('SELECT id FROM permalinks ORDER BY created_at')) {
      const row = this.#sql.first<{ createdAt: number; content: SqlText }>(
        'SELECT created_at AS createdAt, content FROM permalinks WHERE id = ?',
        [textOf(id)],
      );
      if (row === undefined) continue;
      const hashes = this.#sql
        .all<{ hash: SqlText }>('SELECT hash FROM permalink_bodies WHERE permalink_id = ?', [textOf(id)])
        .map(({ hash }) => textOf(hash));
      yield { id: textOf(id), createdAt: row.createdAt, json: unpackJson(row.content), hashes };
    }
  }

  /** Yields the states of clients where the log or a pinned part of it begins, by seq. Only they know what came before. */
  *bases(): Generator<{ readonly seq: number; readonly beginsAt: EpochMs; readonly client: ClientState }> {
    const first =
      this.#sql.number('SELECT min(first_seq) AS n FROM blocks WHERE pinned = 0') ??
      this.#sql.number('SELECT min(first_seq) AS n FROM waiting') ??
      Number.MAX_SAFE_INTEGER;
    const snapshots = this.#sql.all<{ id: number }>(
      'SELECT id FROM snapshots WHERE seq < ? ORDER BY seq, id',
      [first],
    );
    for (const { id } of snapshots) {
      const row = this.#sql.first<{ seq: number; beginsAt: number; json: SqlText }>(
        'SELECT seq, begins_at AS beginsAt, json FROM snapshots WHERE id = ?',
        [id],
      );
      if (row === undefined) throw undecodable(`snapshot ${id} is missing`);
      const parts: ClientParts<StoredRows> = JSON.parse(unpackJson(row.json));
      yield { seq: row.seq, beginsAt: row.beginsAt, client: joinClient(parts, (rows) => this.#rowsOf(rows)) };
    }
  }

  #rowsOf({ chunks, layers = [] }: StoredRows): ClientReport['resources'] {
    const rows = new Map<string, ResourceState>();
    for (const id of [...chunks, ...layers.map((layer) => layer.id)]) {
      if (id === 0) continue;
      const row = this.#sql.first<{ bytes: ArrayBuffer }>('SELECT bytes FROM snapshot_chunks WHERE id = ?', [
        id,
      ]);
      if (row === undefined) throw undecodable(`chunk ${id} of a snapshot is missing`);
      for (const [key, change] of parseChanges(inflateBytes(bytesOf(row.bytes)).toString('utf8'))) {
        if (change === null) rows.delete(key);
        else rows.set(key, change);
      }
    }
    return rows;
  }

  checkpoint(): Checkpoint | undefined {
    const newest = this.#sql.first<{ id: number; seq: number }>(
      'SELECT id, seq FROM checkpoints WHERE complete = 1 ORDER BY seq DESC, id DESC LIMIT 1',
    );
    if (newest === undefined) return undefined;
    const clients = new Map<string, ClientState>();
    const sources: KnownSource[] = [];
    for (let after = 0; ; ) {
      const rows = this.#sql.all<{ id: number; json: SqlText }>(
        // The unary plus keeps SQLite from sorting the chunks of an index for every page.
        'SELECT id, json FROM checkpoint_chunks WHERE +checkpoint_id = ? AND id > ? ORDER BY id LIMIT ?',
        [newest.id, after, chunksAtOnce],
      );
      for (const { json } of rows) restoreChunk(JSON.parse(unpackJson(json)), clients, sources);
      const last = rows.at(-1);
      if (last === undefined) return { seq: newest.seq, clients: [...clients.values()], sources };
      after = last.id;
    }
  }
}

/** The first byte of deflated values. No JSON begins with it. */
const zlibHeader = 0x78;

/** Short JSON is stored as text, and long JSON as deflated UTF-8. */
function unpackJson(column: SqlText): string {
  const bytes = bytesOf(column);
  return bytes[0] === zlibHeader ? inflateBytes(bytes).toString('utf8') : textOf(column);
}

/** A chunk has some sources, or a client with some resources of one of its reports. */
type Chunk =
  | { readonly sources: readonly KnownSource[] }
  | {
      readonly client: Omit<ClientState, 'reports'>;
      readonly part: {
        readonly key: string;
        readonly report: Omit<ClientReport, 'resources'>;
        readonly resources: readonly ResourceState[];
      } | null;
    };

function restoreChunk(chunk: Chunk, clients: Map<string, ClientState>, sources: KnownSource[]): void {
  if ('sources' in chunk) {
    sources.push(...chunk.sources);
    return;
  }
  const { client, part } = chunk;
  const state = clients.get(client.clientId) ?? { ...client, reports: new Map() };
  clients.set(client.clientId, state);
  if (part === null) return;
  const report = state.reports.get(part.key) ?? { ...part.report, resources: new Map() };
  state.reports.set(part.key, report);
  for (const resource of part.resources) report.resources.set(resourceKey(resource), resource);
}
