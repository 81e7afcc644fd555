import type { LoadSeries } from '@/lib/load/load-series';
import type { DeclaredSource, Observation, Recorded, SourceDeclared } from '@/lib/observation/observation';
import { findOriginalVantage } from '@/lib/observation/vantage';
import type { EpochMs } from '@/lib/xds/units';
import { importedClientIdOf } from '../../client-id';
import { redactMessage } from '../../codec/secrets/redact-message';

/** Longer names of files, and of sources in files, are truncated. */
const maxNameChars = 200;

/**
 * Names the clients, sources and streams of a file. The scope of a client includes the name of the file, so that it
 * differs from a live client with the same node id, and from clients of other files.
 */
export class ImportNames {
  /** Id of the file in the source list. */
  readonly sourceId: string;

  /** `label` is unique among the imported files. */
  constructor(readonly label: string) {
    this.sourceId = `file:${label}`;
  }

  clientId(clientId: string): string {
    return importedClientIdOf(this.sourceId, clientId);
  }

  scope(scope: string): string {
    return scope === '' ? this.label : `${scope} in ${this.label}`;
  }

  /** Such as "file:yesterday.xdscope#csds:10.0.0.7:50051" for a source of the file. */
  sourceOf(sourceId: string): string {
    return `${this.sourceId}#${sourceId.slice(0, maxNameChars)}`;
  }

  /** Keeps the vantage, because a load report that is both received and forwarded must count once. */
  renameLoad({ scope, part }: LoadSeries): LoadSeries {
    const names = { sourceId: this.sourceOf(scope.sourceId), clientId: this.clientId(scope.clientId) };
    return { scope: { ...scope, ...names, fileId: this.sourceId }, part };
  }

  /** The declaration of the file itself. */
  declareFile(at: EpochMs): SourceDeclared {
    return this.#declare(at, this.sourceId, { kind: 'file', target: this.label });
  }

  /** The declaration of a source in the file. */
  declare(at: EpochMs, sourceId: string, { target, server, ...declared }: DeclaredSource): SourceDeclared {
    return this.#declare(at, this.sourceOf(sourceId), {
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

/** Makes a name of a file unique, and removes secrets, unprintable characters and separators from it. */
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
