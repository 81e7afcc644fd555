import * as z from 'zod';
import { defineQuestion } from '../../questions/question';
import { described, resourceName, typeUrl } from '../fields/query-fields';
import { resourceBody, resourceLinks } from './schema';

export const linksQuestion = defineQuestion({
  summary: 'The resources that a resource references, and the resources that reference it.',
  query: z.object({ typeUrl, name: resourceName }),
  answer: resourceLinks,
});

export const resourceBodyQuestion = defineQuestion({
  summary: 'The body of a resource by the SHA-256 of its bytes (after redaction).',
  params: { hash: '64 hex digits.' },
  query: z.object({
    format: described(
      z.enum(['json', 'yaml', 'binary'], 'expected json, yaml or binary').default('json'),
      'How the body is written.',
    ),
    typeUrl: described(
      z.string().optional(),
      'Read the bytes as this type; needed only if equal bytes are stored under two types.',
    ),
    meta: described(
      z.string().optional(),
      '1: answer {hash, typeUrl, sizeBytes, text, opaque, unknown, v2, redacted} instead of the text alone.',
    ),
  }),
  answer: resourceBody,
  otherForms: {
    'application/json': z
      .record(z.string(), z.unknown())
      .meta({ description: 'Without meta: the resource itself, in proto3 JSON.' }),
    'application/yaml': z.string().meta({ description: 'format=yaml without meta: the resource itself.' }),
    'application/x-protobuf': z.string().meta({ description: 'format=binary: the bytes of the resource.' }),
  },
  hasWholeTexts: true,
});
