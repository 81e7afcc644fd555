import type { LoadSeries } from '@/lib/load/load-series';
import type { DeclaredSource } from '@/lib/observation/declared-source';
import type { Observation, Recorded, SourceDeclared } from '@/lib/observation/observation';
import { findOriginalVantage } from '@/lib/observation/vantage';
import type { EpochMs } from '@/lib/xds/units';
import { importedClientIdOf } from '../../client-id';
import { redactMessage } from '../../codec/secrets/redact-message';

/** Longer ones are cut: they are names of files, and of sources in files. */
const maxNameChars = 200;

/**
 * What the clients, sources and streams of one file are called here. A client's scope is reported with the file's name
 * behind it, so that it is another client than the living one of the same node id; nothing of a file meets anything of
 * another, or of this process.
 */
export class ImportNames {
  /** Of what the source list shows. */
  readonly sourceId: string;

  /** `label`: no other file here has it. */
  constructor(readonly label: string) {
    this.sourceId = `file:${label}`;
  }

  clientId(theirs: string): string {
    return importedClientIdOf(this.sourceId, theirs);
  }

  scope(theirs: string): string {
    return theirs === '' ? this.label : `${theirs} in ${this.label}`;
  }

  /** As in "file:yesterday.xdscope#csds:10.0.0.7:50051": which source of theirs said it. */
  sourceOf(theirs: string): string {
    return `${this.sourceId}#${theirs.slice(0, maxNameChars)}`;
  }

  /** The vantage stays: who received a report and who passed it on tell the same, and count once. */
  renameLoad({ scope, part }: LoadSeries): LoadSeries {
    const { sourceId, clientId } = scope;
    return {
      scope: { ...scope, sourceId: this.sourceOf(sourceId), clientId: this.clientId(clientId) },
      part,
    };
  }

  /** The declaration of the file itself. */
  declareFile(at: EpochMs): SourceDeclared {
    return this.#declare(at, this.sourceId, { kind: 'file', target: this.label });
  }

  /** The declaration of a source that the file holds. */
  declare(at: EpochMs, theirs: string, { target, server, ...declared }: DeclaredSource): SourceDeclared {
    return this.#declare(at, this.sourceOf(theirs), {
      ...declared,
      target: target.slice(0, maxNameChars),
      ...(server !== undefined && { server: server.slice(0, maxNameChars) }),
      fileId: this.sourceId,
    });
  }

  #declare(at: EpochMs, sourceId: string, source: DeclaredSource): SourceDeclared {
    return { kind: 'source-declared', at, vantage: 'dump', sourceId, source };
  }

  rename({ seq: _, ...observation }: Recorded): Observation {
    const { sourceId } = observation;
    if (observation.kind === 'source-declared') {
      return this.declare(observation.at, sourceId, observation.source);
    }
    return {
      ...observation,
      vantage: 'dump',
      originalVantage: findOriginalVantage(observation),
      sourceId: this.sourceOf(sourceId),
      ...('clientId' in observation && { clientId: this.clientId(observation.clientId) }),
      ...('streamId' in observation && { streamId: `${this.label} ${observation.streamId}` }),
      ...('scope' in observation && { scope: this.scope(observation.scope) }),
    };
  }
}

/** A name for a file that none has yet, of what somebody called it: without secrets, printable, no "#", not too long. */
export function labelOf(name: string, isTaken: (label: string) => boolean): string {
  const plain = redactMessage(name)
    .replace(/[\p{C}#/\\]+/gu, '_')
    .trim()
    .slice(0, maxNameChars);
  const label = plain === '' ? 'recording.xdscope' : plain;
  for (let number = 1; ; number += 1) {
    const tried = number === 1 ? label : `${label} (${number})`;
    if (!isTaken(tried)) return tried;
  }
}
