import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRejectedField, type RejectedField } from '@/lib/nacks/find-rejected-field';
import { parseNackText } from '@/lib/nacks/parse-nack-text';
import { validateResource } from '@/lib/validate/validate-resource';
import { decodeBody } from '@/server/codec/decode-body';
import { findPython } from '@/server/lab/python-client/find-python';
import { type RejectedCase, readRejectedCases } from '../../support/builders/nack-texts';
import { CoreConformance } from '../../support/conformance/core-conformance';
import { nodeClientVerdict } from '../../support/node-client-verdict';
import { conformanceCases, conformanceProviders } from '../validate/conformance-cases/all-cases';

/** Percentages of the texts. */
interface Shares {
  /** Texts that identify the resource by its name or its place in the response. */
  readonly resource: number;
  /** Texts that name a field which occurs once in the payload. */
  readonly reported: number;
  /** Texts whose fields are all known: reported, or concluded from findings. */
  readonly marked: number;
  /** Texts with a single finding whose marked field is that of the finding, contains it or is within it. */
  readonly agreeing: number;
}

interface Validated {
  readonly text: string;
  readonly isOfResource: boolean;
  readonly fields: readonly (RejectedField | undefined)[];
  /** The field of the only finding, or null. */
  readonly finding: string | null;
}

function validate({ text, name, typeUrl, bytes, profile }: RejectedCase): Validated {
  const statements = parseNackText(text);
  const { json } = decodeBody(typeUrl, bytes, { asV3: true });
  const findings = validateResource(typeUrl, json, { certificateProviders: new Set(conformanceProviders) });
  const places = new Set(
    findings.filter((each) => each.reactions[profile] === 'NACK').map((each) => each.fieldPath),
  );
  return {
    text: `${profile}: ${text.slice(0, 300)}`,
    isOfResource: statements.every((each) => each.resourceName === name || each.resourceIndex === 0),
    fields: statements.map((each) => findRejectedField(each, json, findings, profile)),
    finding: places.size === 1 ? ([...places][0] ?? null) : null,
  };
}

const isNear = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);

function expectShares(title: string, rejected: readonly RejectedCase[], least: Shares): void {
  const validated = rejected.map(validate);
  const explained = validated.filter(({ finding }) => finding !== null);
  const disagreeing = explained.filter(
    ({ finding, fields }) =>
      !fields.some((field) => field !== undefined && isNear(field.path, finding ?? '')),
  );
  const unmarked = validated.filter(({ fields }) => fields.includes(undefined));
  const percent = (part: number, of = validated.length): number => Math.floor((100 * part) / of);
  const measured: Shares = {
    resource: percent(validated.filter(({ isOfResource }) => isOfResource).length),
    reported: percent(
      validated.filter(({ fields }) => fields.some((field) => field && field.basis !== 'concluded')).length,
    ),
    marked: percent(validated.length - unmarked.length),
    agreeing: percent(explained.length - disagreeing.length, explained.length),
  };
  process.stdout.write(`${title}, ${validated.length} texts: ${JSON.stringify(measured)} percent\n`);
  const why = (which: readonly Validated[]): string =>
    which
      .map(
        ({ text, fields, finding }) =>
          `${text} -> ${fields.map((f) => f?.path ?? '?').join(' ')} (${finding})`,
      )
      .join('\n');
  expect(measured.resource, 'texts that identify the resource').toBeGreaterThanOrEqual(least.resource);
  expect(measured.reported, 'texts that name a field').toBeGreaterThanOrEqual(least.reported);
  expect(measured.marked, why(unmarked)).toBeGreaterThanOrEqual(least.marked);
  expect(measured.agreeing, why(disagreeing)).toBeGreaterThanOrEqual(least.agreeing);
}

describe('error texts of real clients', () => {
  const rejected = readRejectedCases();

  it.each([
    ['core-1.51', { resource: 100, reported: 60, marked: 100, agreeing: 100 }],
    ['go-1.64', { resource: 100, reported: 25, marked: 93, agreeing: 100 }],
    ['node-1.14', { resource: 100, reported: 34, marked: 100, agreeing: 100 }],
  ] as const)('of %s name the resource and mark the field', (profile, least) => {
    expectShares(
      `corpus, ${profile}`,
      rejected.filter((each) => each.profile === profile),
      least,
    );
  });
});

describe('unmodified error texts of real clients', () => {
  it('of grpc-js-xds 1.14 mark the field', () => {
    const rejected = conformanceCases().flatMap(({ typeUrl, bytes, title }) => {
      const { verdict, error } = nodeClientVerdict(typeUrl, bytes, conformanceProviders);
      const text = `xDS response validation errors: [resource index 0: ${error}]`;
      return verdict === 'ACK' ? [] : [{ text, name: title, typeUrl, bytes, profile: 'node-1.14' as const }];
    });
    expectShares('grpc-js-xds 1.14', rejected, { resource: 100, reported: 26, marked: 99, agreeing: 99 });
  });
});

const python = await findPython();

describe.skipIf(python.kind === 'absent')('C-core itself (skipped where there is no python3-grpcio)', () => {
  const conformance = new CoreConformance(
    python.kind === 'found' ? python.command : '',
    conformanceProviders,
  );
  beforeAll(() => conformance.start());
  afterAll(() => conformance.close());

  it('names the resource and marks the field', async () => {
    const rejected: RejectedCase[] = [];
    for (const { typeUrl, name, bytes } of conformanceCases().filter((_, index) => index % 25 === 3)) {
      const { verdict, error: text } = await conformance.validate(typeUrl, name, bytes);
      if (verdict === 'NACK') rejected.push({ text, name, typeUrl, bytes, profile: 'core-1.51' });
    }
    expect(rejected.length).toBeGreaterThan(10);
    expectShares('C-core 1.51', rejected, { resource: 100, reported: 55, marked: 95, agreeing: 95 });
  });
});
