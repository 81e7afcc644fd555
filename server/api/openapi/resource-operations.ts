import { descriptorSet, descriptorSetList } from '@/lib/api/descriptor-sets';
import { newValidation, validation } from '@/lib/api/findings';
import { profiles } from '@/lib/validate/profile';
import type { Operation } from './operation';

/** Bodies, their types and rules, whoever has them. */
export const resourceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/descriptor-sets',
    summary: 'Types that users told xdscope, by flag or by upload.',
    answer: descriptorSetList,
  },
  {
    method: 'post',
    path: '/descriptor-sets',
    summary:
      'Tell xdscope types: a FileDescriptorSet as protoc and buf write it, as application/octet-stream, at most 16 MiB. They decode from then on.',
    parameters: [{ name: 'name', in: 'query', text: 'What to call it; a file name, mostly.' }],
    status: 201,
    answer: descriptorSet,
  },
  {
    method: 'delete',
    path: '/descriptor-sets/{id}',
    summary: 'Forget the types of an upload.',
    parameters: [{ name: 'id', in: 'path', text: 'Id of the set: 16 hex digits.' }],
    status: 204,
  },
  {
    method: 'post',
    path: '/validate',
    cost: 'question',
    summary:
      'What a client would make of a resource, or of a document of them as JSON, YAML or text: at most 1,000 findings, the most severe first, with the totals. Nothing is stored.',
    parameters: [
      {
        name: 'profile',
        in: 'query',
        text: 'Whose verdict: C-core 1.51, grpc-go 1.64, Java as documented, grpc-js-xds 1.14, or Envoy by its protos. Default core.',
        enum: profiles,
      },
      { name: 'typeUrl', in: 'query', text: 'What the document is, where it does not say so itself.' },
    ],
    body: newValidation,
    answer: validation,
  },
];
