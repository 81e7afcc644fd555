import { describe, expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { foldObservation, type World } from '@/lib/observation/fold';
import type { ResourceRow } from '@/lib/observation/resource-row';
import { buildResourceRows } from '@/lib/views/client/build-resource-rows';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { type AnyMessage, endpointsOf, packed } from '@/tests/support/builders/xds-wire';
import { deltaAds, type Fields, RecordingStory } from '@/tests/support/recording-story';

function cluster(name: string, timeout = 1): AnyMessage {
  return packed(CDS.typeUrl, { name, connectTimeout: { seconds: timeout } });
}

/** Folds what a tap records. */
class Versions {
  readonly story = new RecordingStory();
  readonly #world: World = new Map();
  #seq = 0;

  /** Number of rows that the observations since the last call store. */
  take(): number {
    let rows = 0;
    for (const observation of this.story.take()) {
      this.#seq += 1;
      foldObservation(this.#world, { ...observation, seq: this.#seq });
      if ('changed' in observation) rows += observation.changed.length + observation.removed.length;
    }
    return rows;
  }

  get rows(): ResourceRow[] {
    this.take();
    const freshness = { freshness: 'live', reason: '', lastSeenAt: undefined } as const;
    return [...this.#world.values()].flatMap((client) =>
      runSteps(buildResourceRows(client, () => freshness)),
    );
  }

  /** "name STATUS version, version of the content". */
  get shown(): string[] {
    return this.rows.map(
      ({ name, clientStatus, versionInfo, contentVersion = versionInfo }) =>
        `${name} ${clientStatus} ${versionInfo}, ${contentVersion}`,
    );
  }
}

/** Both are accepted in version 1. */
function withClusters(...names: string[]): Versions {
  const versions = new Versions();
  const { story } = versions;
  story.open();
  story.request({ resourceNames: names });
  story.response(
    '1',
    names.map((name) => cluster(name)),
  );
  story.ack('1', { resourceNames: names });
  versions.take();
  return versions;
}

describe('the version of a resource in state of the world', () => {
  it('is the one that the client ACKed last, and the version of the content stays', () => {
    const versions = withClusters('a', 'b');
    const { story } = versions;
    story.response('2', [cluster('a'), cluster('b', 2)]);
    story.ack('2');
    expect(versions.shown).toEqual(['a ACKED 2, 1', 'b ACKED 2, 2']);
    expect(versions.rows.map(({ answer, effect }) => [answer?.versionInfo, effect?.versionInfo])).toEqual([
      ['2', '2'],
      ['2', '2'],
    ]);
    story.response('3', [cluster('a'), cluster('b', 2)]);
    expect(versions.shown).toEqual(['a ACKED 2, 1', 'b ACKED 2, 2']);
    story.ack('3');
    expect(versions.shown).toEqual(['a ACKED 3, 1', 'b ACKED 3, 2']);
  });

  it('changes without a row being stored when 1,000 resources are sent again', () => {
    const names = Array.from({ length: 1_000 }, (_, index) => `c${index}`);
    const versions = withClusters(...names);
    const { story } = versions;
    for (const version of ['2', '3']) {
      story.response(
        version,
        names.map((name) => cluster(name)),
      );
      story.ack(version, { resourceNames: names });
      expect(versions.take()).toBe(0);
    }
    expect(new Set(versions.rows.map(({ versionInfo }) => versionInfo))).toEqual(new Set(['3']));
  });

  it('of endpoints that are sent alone is their own, until all are sent', () => {
    const eds = { typeUrl: EDS.typeUrl };
    const names = { ...eds, resourceNames: ['x', 'y', 'z'] };
    const versions = new Versions();
    const { story } = versions;
    const push = (version: string, ...sent: string[]) => {
      story.response(
        version,
        sent.map((name) => endpointsOf(name)),
        eds,
      );
      story.ack(version, names);
      return versions.take();
    };
    story.open();
    story.request(names);
    push('1', 'x', 'y', 'z');
    expect(push('2', 'x')).toBe(1);
    expect(versions.shown).toEqual(['x ACKED 2, 1', 'y ACKED 1, 1', 'z ACKED 1, 1']);
    // Most of them: the row of the other one is stored.
    expect(push('3', 'x', 'y')).toBe(2);
    expect(versions.shown).toEqual(['x ACKED 3, 1', 'y ACKED 3, 1', 'z ACKED 1, 1']);
    expect(push('4', 'x', 'y', 'z')).toBe(1);
    expect(push('5', 'x', 'y', 'z')).toBe(0);
    expect(versions.shown).toEqual(['x ACKED 5, 1', 'y ACKED 5, 1', 'z ACKED 5, 1']);
  });

  it('of a rejected resource is the last one that the client accepted', () => {
    const versions = withClusters('a', 'b');
    const { story } = versions;
    story.response('2', [cluster('a'), cluster('b')]);
    story.ack('2');
    story.response('3', [cluster('a', 3), cluster('b')]);
    const rejection = { code: 3, message: '[xDS node id: c]: cluster "a": bad' };
    story.ack('2', { responseNonce: 'n3', errorDetail: rejection });
    expect(versions.shown).toEqual(['a NACKED 2, 1', 'b ACKED 3, 1']);
    story.response('4', [cluster('a'), cluster('b')]);
    story.ack('4');
    expect(versions.shown).toEqual(['a ACKED 4, 1', 'b ACKED 4, 1']);
  });

  it('is that of the last answer while a response has none', () => {
    const versions = withClusters('a', 'b');
    const { story } = versions;
    story.response('2', [cluster('a'), cluster('b')]);
    story.ack('2');
    story.response('3', [cluster('a', 3), cluster('b')]);
    story.checkAnswers(60_000);
    expect(versions.shown).toEqual(['a UNKNOWN 2, 1', 'b UNKNOWN 2, 1']);
    story.ack('3');
    expect(versions.shown).toEqual(['a ACKED 3, 3', 'b ACKED 3, 1']);
  });
});

describe('the version of a resource in delta', () => {
  const resource = (name: string, version: string): Fields => ({ name, version, resource: cluster(name) });

  function push(versions: Versions, nonce: string, system: string, ...resources: Fields[]): number {
    versions.story.deltaResponse({ nonce, systemVersionInfo: system, resources });
    versions.story.deltaRequest({ responseNonce: nonce });
    return versions.take();
  }

  function start(): Versions {
    const versions = new Versions();
    versions.story.open('s', deltaAds);
    versions.story.deltaRequest({ resourceNamesSubscribe: ['a', 'b'] });
    return versions;
  }

  it('is its own', () => {
    const versions = start();
    push(versions, 'n1', 's1', resource('a', 'a1'), resource('b', 'b1'));
    expect(push(versions, 'n2', 's2', resource('a', 'a2'))).toBe(1);
    expect(versions.shown).toEqual(['a ACKED a2, a1', 'b ACKED b1, b1']);
  });

  it('is that of the type if resources have none, as with istiod', () => {
    const versions = start();
    push(versions, 'n1', 'push/1', resource('a', ''), resource('b', ''));
    expect(push(versions, 'n2', 'push/2', resource('a', ''))).toBe(0);
    expect(versions.shown).toEqual(['a ACKED push/2, push/1', 'b ACKED push/2, push/1']);
  });
});
