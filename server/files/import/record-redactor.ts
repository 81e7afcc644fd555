import { markTexts, type RedactionMarker } from '../../codec/redaction-marker';
import { redactMember } from '../../codec/secrets/redact-observation';
import { redactText } from '../../codec/secrets/redact-text';
import { redactTexts } from '../../codec/secrets/redact-texts';
import { takeBody } from '../../codec/take-body';
import type { ReadRecord } from '../xdscope-format/file-record';

/** Ids that were built from redacted text, or are renamed later. */
const ids: ReadonlySet<string> = new Set(
  'kind vantage originalVantage clientId sourceId streamId fileId'.split(' '),
);

/**
 * Redacts the records of a recording, which another program may have written. A body with a secret gets another digest,
 * and all references to it are updated. MUTABLE.
 */
export class RecordRedactor {
  readonly #marker: RedactionMarker;

  readonly #newHashes = new Map<string, string>();

  constructor(marker: RedactionMarker) {
    this.#marker = marker;
  }

  redact(record: ReadRecord): ReadRecord {
    if (record.kind === 'bodies') {
      const bodies = record.bodies.map((body) => {
        const { body: redacted } = takeBody(body.typeUrl, body.bytes, this.#marker);
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
