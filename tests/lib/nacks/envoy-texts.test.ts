import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findRejectedField } from '@/lib/nacks/find-rejected-field';
import { parseNackText } from '@/lib/nacks/parse-nack-text';
import { rejectionKey } from '@/lib/nacks/rejection-key';
import { statementsOfResource } from '@/lib/nacks/statements-of-resource';
import { resourceTypes } from '@/lib/xds/resource-type';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeBody } from '@/server/codec/encode-body';

/** A resource, what each version of Envoy answered, and what a reader finds in the two. */
interface NackText {
  readonly service: string;
  readonly title: string;
  readonly name: string;
  readonly resource: object;
  readonly field: string;
  /** An object has the causes by version, where they differ. */
  readonly cause: string | Readonly<Record<string, string>>;
  readonly texts: Readonly<Record<string, string>>;
}

const folder = new URL('../../fixtures/nack-texts/', import.meta.url);
const entries: readonly NackText[] = readdirSync(folder).flatMap((file) =>
  JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
);

const rejections = entries.flatMap(({ service, texts, cause: causes, ...entry }) => {
  const typeUrl = resourceTypes.find((type) => type.service === service)?.typeUrl ?? '';
  return Object.entries(texts).map(([version, text]) => {
    const cause = typeof causes === 'string' ? causes : (causes[version] ?? '');
    return { ...entry, typeUrl, service, version, text, cause };
  });
});

/** The texts in the list and in the details, which know the payload. */
const shown = rejections.map((rejection) => {
  const { typeUrl, name, resource, text } = rejection;
  const [statement] = statementsOfResource(parseNackText(text), { typeUrl, name });
  const { json } = decodeBody(typeUrl, encodeBody(typeUrl, resource), { asV3: true });
  const found = statement && findRejectedField(statement, json, [], 'envoy-1.40');
  return { ...rejection, reason: statement?.reason ?? '', path: found?.path };
});

const isNormal = (text: string): string => text.replace(/\s+/g, ' ').trim();
const titleOf = ({ version, service, title }: (typeof shown)[number]): string =>
  `${version} ${service}: ${title}`;

describe('errors of real Envoys', () => {
  it('are at least 60, of several versions', () => {
    expect(rejections.length).toBeGreaterThanOrEqual(60);
    expect(new Set(rejections.map(({ version }) => version)).size).toBeGreaterThan(1);
  });

  it('name the field in 90 of 100, and never another one', () => {
    const exact = shown.filter(({ path, field }) => path === field);
    const unknown = shown.filter(({ path }) => path === undefined).map(titleOf);
    const wrong = shown.filter(({ path, field }) => path !== undefined && path !== field);
    expect(wrong.map((each) => `${titleOf(each)}: ${each.path}, not ${each.field}`)).toEqual([]);
    process.stdout.write(
      `Envoy: ${exact.length} of ${shown.length} fields; unknown: ${unknown.join(', ')}\n`,
    );
    expect(exact.length / shown.length).toBeGreaterThanOrEqual(0.9);
  });

  it('are shown by their cause, without the message that Envoy prints', () => {
    const other = shown.filter(({ reason, cause }) => isNormal(reason) !== isNormal(cause));
    expect(other.map((each) => `${titleOf(each)}: ${each.reason}`)).toEqual([]);
  });

  it('are one group for each cause, whatever the version', () => {
    const groups = new Map<string, Set<string>>();
    const causes = new Map<string, Set<string>>();
    for (const { typeUrl, service, name, title, cause, text } of shown) {
      const key = rejectionKey({ typeUrl, name }, text);
      groups.set(key, (groups.get(key) ?? new Set()).add(`${service} ${name} ${title}`));
      // Envoy words a few causes differently in each version.
      const own = `${service} ${name} ${title}: ${cause}`;
      causes.set(own, (causes.get(own) ?? new Set()).add(key));
    }
    const mixed = [...groups.values()].filter(({ size }) => size > 1).map((titles) => [...titles]);
    const split = [...causes].filter(([, { size }]) => size > 1).map(([title]) => title);
    expect({ mixed, split }).toEqual({ mixed: [], split: [] });
  });
});
