import { newSource, type Source, sourceChange } from '@/lib/api/schema';
import { parseTarget } from '../grpc/target';
import type { SavedSources, SavedSourcesFile } from '../sources/saved-sources';
import { type SourceDescription, type SourceRegistry, sourceIdOf } from '../sources/source-registry';
import type { StarterOf } from '../sources/source-starter';
import { ApiError, badRequest, notFound } from './api-error';
import { explainNotSaved } from './not-saved';
import { parseInput } from './parse-input';

export interface SourcesApiOptions {
  readonly registry: SourceRegistry;
  readonly saved: SavedSourcesFile;
  /** What runs a source that somebody added in the browser. */
  readonly starterOf: StarterOf;
}

/** Sources in the browser: listed, added, paused, removed. What people change there outlives the process. */
export class SourcesApi {
  constructor(private readonly options: SourcesApiOptions) {}

  list(): Source[] {
    return this.options.registry.list();
  }

  add(input: unknown): Source {
    const { kind, target: text, label } = parseInput(newSource, input);
    const parsed = parseTarget(text);
    if (!parsed.ok) throw badRequest(`target: ${parsed.problem.message}`);
    const target = parsed.target.text;
    const id = sourceIdOf(kind, target);
    const { registry, starterOf } = this.options;
    if (registry.has(id)) throw new ApiError(409, 'Source exists', `${id} is a source already`);
    const name = label === undefined || label.trim() === '' ? target : label.trim();
    const description: SourceDescription = { id, kind, target, label: name, origin: 'browser' };
    // Saved first: what could not be kept is not begun either.
    this.save((before) => ({
      ...before,
      sources: [...before.sources, { kind, target, label: name, paused: false }],
    }));
    return registry.add(description, starterOf(description));
  }

  change(id: string, input: unknown): Source {
    const { paused } = parseInput(sourceChange, input);
    const { registry } = this.options;
    const source = registry.find(id);
    if (source === undefined) throw unknownSource(id);
    this.save((before) => {
      if (source.origin === 'browser') {
        const sources = before.sources.map((s) =>
          sourceIdOf(s.kind, s.target) === id ? { ...s, paused } : s,
        );
        return { ...before, sources };
      }
      const others = before.pausedIds.filter((other) => other !== id);
      return { ...before, pausedIds: paused ? [...others, id] : others };
    });
    return registry.setPaused(id, paused) ?? source;
  }

  async remove(id: string): Promise<void> {
    const { registry } = this.options;
    const source = registry.find(id);
    if (source === undefined) throw unknownSource(id);
    if (source.origin !== 'browser') {
      const where = source.origin === 'lab' ? 'the embedded lab' : `the ${source.origin}`;
      throw new ApiError(
        409,
        'Source is not removable',
        `${id} comes from ${where}: pause it here, or remove it there`,
      );
    }
    this.save((before) => ({
      ...before,
      sources: before.sources.filter((s) => sourceIdOf(s.kind, s.target) !== id),
    }));
    await registry.remove(id);
  }

  private save(change: (before: SavedSources) => SavedSources): void {
    const { saved } = this.options;
    try {
      saved.write(change(saved.read()));
    } catch (cause) {
      throw explainNotSaved(cause);
    }
  }
}

function unknownSource(id: string): ApiError {
  return notFound('Source', `no source has the id ${JSON.stringify(id)}`);
}
