import { createReadStream } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { RedactionMarker } from '../../codec/redaction-marker';
import { createRedactionMarker, markTexts } from '../../codec/redaction-marker';
import { sanitizeBody } from '../../codec/sanitize-body';
import { redactMember } from '../../codec/secrets/redact-observation';
import { redactText } from '../../codec/secrets/redact-text';
import { redactTexts } from '../../codec/secrets/redact-texts';
import { packBodies } from '../../packed-bodies';
import { inPages } from '../../workers/in-pages';
import { lowerPriority } from '../../workers/threads/lower-priority';
import type { ReadRecord } from '../xdscope-format/file-record';
import { splitFileLoad } from '../xdscope-format/load-records';
import { readXdscopeFile } from '../xdscope-format/read-file';
import { XdscopeFileError } from '../xdscope-format/xdscope-file-error';
import { createPacedSender } from './paced-sender';
import type { RecordingMessage, RecordingWorkerData } from './read-recording';

/** Ids that were built from redacted text, or are renamed later. */
const ids: ReadonlySet<string> = new Set(
  'kind vantage originalVantage clientId sourceId streamId fileId'.split(' '),
);

/**
 * Redacts the records of a recording, which another program may have written. A body with a secret gets another digest,
 * and all references to it are updated. MUTABLE.
 */
class RecordRedactor {
  readonly #marker: RedactionMarker;

  readonly #newHashes = new Map<string, string>();

  constructor(marker: RedactionMarker) {
    this.#marker = marker;
  }

  redact(record: ReadRecord): ReadRecord {
    if (record.kind === 'bodies') {
      const bodies = record.bodies.map((body) => {
        const { body: redacted } = sanitizeBody(body.typeUrl, body.bytes, this.#marker);
        if (redacted.hash !== body.hash) this.#newHashes.set(body.hash, redacted.hash);
        return { ...redacted, typeUrl: redactText(body.typeUrl, markTexts(this.#marker)) };
      });
      return { ...record, bodies };
    }
    if (record.kind === 'load') {
      const series = this.#redactTexts(record.load.series);
      return { ...record, load: { ...record.load, series } };
    }
    return this.#redactTexts(record);
  }

  #redactTexts<T>(value: T): T {
    const mark = markTexts(this.#marker);
    return redactTexts(value, (text, key) => this.#newHashes.get(text) ?? redactMember(text, key, mark), ids);
  }
}

const { file, redactionKey, maxInflatedBytes }: RecordingWorkerData = workerData;
const redactor = new RecordRedactor(createRedactionMarker(redactionKey));
lowerPriority();
/** A message has at most this many items, so that handling it is short. */
const itemsPerMessage = 50;
const loadValuesPerMessage = 2_000;
const send = createPacedSender<RecordingMessage>(4);

async function sendRecord(record: ReadRecord): Promise<void> {
  if (record.kind === 'bodies') {
    const bodies = packBodies(record.bodies);
    await send({ kind: 'bodies', bodies }, [bodies.bytes]);
  } else if (record.kind === 'observations') {
    for (const observations of inPages(record.observations, itemsPerMessage))
      await send({ kind: 'record', record: { ...record, observations } });
  } else if (record.kind === 'states') {
    for (const states of inPages(record.states, itemsPerMessage))
      await send({ kind: 'record', record: { ...record, states } });
  } else if (record.kind === 'load') {
    for (const load of splitFileLoad(record.load, loadValuesPerMessage))
      await send({ kind: 'record', record: { ...record, load } });
  } else await send({ kind: 'record', record });
}

try {
  for await (const record of readXdscopeFile(createReadStream(file), { maxInflatedBytes }))
    await sendRecord(redactor.redact(record));
  await send({ kind: 'end' });
} catch (error) {
  if (!(error instanceof XdscopeFileError)) throw error;
  await send({ kind: 'unreadable', code: error.code, message: error.message });
}
parentPort?.close();
