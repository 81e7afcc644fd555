import type {
  CredentialsShown,
  NewSource,
  Source,
  SourceChange,
  SourcePage,
  SourcesQuery,
} from '@/lib/views/sources/schema';
import { ApiError, badRequest, notFound } from '../../api-error';
import { redactMessage } from '../../codec/secrets/redact-message';
import type { AllCredentials } from '../../collect/source-kind/named-credentials';
import { SettingError } from '../../collect/source-kind/setting-error';
import { crossCheckLabel, splitCrossCheck } from '../../collect/xds/settings/cross-check';
import { readBootstrapField } from '../../collect/xds/source-kind';
import { splitChannelz } from '../../sources/channelz-sources';
import { describeSource } from '../../sources/describe-source';
import { findDistinct } from '../../sources/distinct-source';
import type { SavedSource, SavedSources } from '../../sources/saved-sources';
import { type ReadySource, setUpSource } from '../../sources/set-up-source';
import type { SourceRegistry } from '../../sources/source-registry';
import { type StarterOf, startNothing } from '../../sources/source-starter';
import { bootstrapToKeep, clientToKeep } from '../../transport/bootstrap/bootstrap-to-keep';
import { Turns } from '../../turns';

interface SourcesApiOptions {
  readonly registry: SourceRegistry;
  readonly saved: SavedSources;
  /** The credentials that a request can select by name. */
  readonly credentials: AllCredentials;
  /** Returns the function that starts a source that was added in the browser. */
  readonly starterOf: StarterOf;
}

/** Sources in the browser: they are listed, added, changed, paused and removed. These changes are stored. */
export class SourcesApi {
  readonly #options: SourcesApiOptions;
  /** A source is there once it is stored, so that the next one is compared with it. */
  readonly #adding = new Turns();

  constructor(options: SourcesApiOptions) {
    this.#options = options;
  }

  list(): Source[] {
    return this.#options.registry.list();
  }

  listCredentials(): CredentialsShown[] {
    return [...this.#options.credentials].map(([name, { targets }]) => ({ name, targets: [...targets] }));
  }

  find(id: string): Source | undefined {
    return this.#options.registry.find(id);
  }

  page(query: SourcesQuery): SourcePage {
    return this.#options.registry.page(query);
  }

  async add(requested: NewSource): Promise<Source> {
    const [input, ...beside] = checked(() => splitChannelz(requested));
    // All requested sources are parsed before the first is added.
    for (const each of beside) this.#setUp(each);
    return this.#adding.take(async () => {
      const source = await this.#addWithVariants(input);
      for (const each of beside) await this.#addOne(each, true);
      return source;
    });
  }

  async #addWithVariants(input: NewSource): Promise<Source> {
    const [settings, ...others] = checked(() => splitCrossCheck(input.settings ?? {}, 'settings.'));
    const first = input.settings === undefined ? input : { ...input, settings };
    // All requested sources are parsed before the first is added.
    const second = others.map((other) => ({
      ...input,
      label: crossCheckLabel(nameOf(input, this.#setUp(first).target), other),
      settings: other,
    }));
    const source = await this.#addOne(first, second.length > 0);
    for (const other of second) await this.#addOne(other, true);
    return source;
  }

  #setUp(input: NewSource): ReadySource {
    return checked(() => setUpSource(input, this.#options.credentials));
  }

  /** With `mayBeThere`, a source that exists already is the answer. */
  async #addOne(input: NewSource, mayBeThere: boolean): Promise<Source> {
    const requested = this.#setUp(input);
    const { registry, starterOf } = this.#options;
    const found = findDistinct(requested, (id) => registry.setupOf(id));
    const there = mayBeThere ? registry.find(found?.source.id ?? requested.id) : undefined;
    if (there !== undefined) return there;
    if (found === undefined || registry.has(found.source.id)) {
      throw new ApiError(
        409,
        'Source exists',
        `${requested.id} is a source already, of the same mode and node`,
      );
    }
    const { source: ready, distinction } = found;
    const { id, kind, target, setup, ignored } = ready;
    const label = nameOf(input, target);
    // The source is saved first, so that one that cannot be saved is not started.
    await this.#options.saved.change((before) => ({
      ...before,
      sources: [...before.sources, { ...toSaved(input, ready, label), distinction }],
    }));
    const description = describeSource({ kind, target, label, origin: 'browser', ignored }, setup, id);
    return registry.add(description, starterOf(description, setup));
  }

  async change(id: string, { paused, ...settings }: SourceChange): Promise<Source> {
    const source = this.#options.registry.find(id);
    if (source === undefined) throw unknownSource(id);
    if (source.kind === 'file') {
      throw new ApiError(409, 'Source is a file', `${id} is a file: it can be removed, and nothing else`);
    }
    if (Object.keys(settings).length > 0) await this.#changeSettings(source, settings);
    return paused === undefined ? (this.#options.registry.find(id) ?? source) : this.#pause(source, paused);
  }

  async remove(id: string): Promise<void> {
    const { registry } = this.#options;
    const source = registry.find(id);
    if (source === undefined) throw unknownSource(id);
    if (source.origin !== 'browser') {
      throw new ApiError(
        409,
        'Source is not removable',
        `${id} comes from ${originOf(source)}: pause it here, or remove it there`,
      );
    }
    await this.#options.saved.change((before) => ({
      ...before,
      sources: before.sources.filter((saved) => this.#idOf(saved) !== id),
    }));
    await registry.remove(id);
  }

  async #pause(source: Source, paused: boolean): Promise<Source> {
    const { id } = source;
    await this.#options.saved.change((before) => {
      if (source.origin === 'browser') {
        const sources = before.sources.map((saved) =>
          this.#idOf(saved) === id ? { ...saved, paused } : saved,
        );
        return { ...before, sources };
      }
      const others = before.pausedIds.filter((other) => other !== id);
      return { ...before, pausedIds: paused ? [...others, id] : others };
    });
    return this.#options.registry.setPaused(id, paused) ?? source;
  }

  /** The source is restarted with the new settings, and requests its resources again. */
  async #changeSettings(
    { id, kind, target, label, origin, ...source }: Source,
    settings: NonNullable<NewSource['settings']>,
  ): Promise<void> {
    if (kind !== 'ads') {
      throw new ApiError(409, 'Source has no settings', `${id} is no ADS source: it has no mode to change`);
    }
    if (origin !== 'browser') {
      const where = originOf({ ...source, id, kind, target, label, origin });
      throw new ApiError(409, 'Source is not changeable', `${id} comes from ${where}: change it there`);
    }
    const saved = this.#options.saved.content.sources.find((each) => this.#idOf(each) === id);
    if (saved === undefined) throw unknownSource(id);
    const changed: SavedSource = { ...saved, settings: { ...saved.settings, ...settings } };
    const { setup, ignored, problem } = checked(() => this.#options.saved.setUp(changed));
    await this.#options.saved.change((before) => ({
      ...before,
      sources: before.sources.map((each) => (this.#idOf(each) === id ? changed : each)),
    }));
    const description = describeSource({ kind, target, label, origin, ignored }, setup, id);
    const start = problem === null ? this.#options.starterOf(description, setup) : startNothing(problem);
    await this.#options.registry.replace(description, start);
  }

  #idOf(saved: SavedSource): string {
    return this.#options.saved.setUp(saved).id;
  }
}

function nameOf({ label = '' }: NewSource, target: string): string {
  const name = redactMessage(label.trim());
  return name === '' ? target : name;
}

function toSaved(
  { target: stated, settings, bootstrap }: NewSource,
  { kind, target, ignored }: ReadySource,
  label: string,
): SavedSource {
  const kept =
    bootstrap === undefined
      ? {}
      : {
          bootstrap: (stated === undefined ? bootstrapToKeep : clientToKeep)(readBootstrapField(bootstrap)),
          ...(ignored.length > 0 && { ignored: [...ignored] }),
        };
  return { kind, target, label, paused: false, ...(settings === undefined ? {} : { settings }), ...kept };
}

function originOf({ origin }: Source): string {
  return origin === 'lab' ? 'the embedded lab' : `the ${origin}`;
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingError) throw badRequest(error.message, error.field);
    throw error;
  }
}

export function unknownSource(id: string): ApiError {
  return notFound('Source', `no source has the id ${JSON.stringify(id)}`);
}
