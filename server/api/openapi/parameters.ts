import type { Parameter } from './operation';

export const clientId: Parameter = {
  name: 'id',
  in: 'path',
  text: 'Client id: 16 hex digits made of node id and scope.',
};

export const permalinkId: Parameter = {
  name: 'id',
  in: 'path',
  text: 'Permalink id: 128 random bits, base64url.',
};

export const resourceKey: readonly Parameter[] = [
  { name: 'typeUrl', in: 'query', text: 'Type URL of the resource.', required: true },
  { name: 'name', in: 'query', text: 'Name of the resource.', required: true },
];

export const atQuery: Parameter = {
  name: 'at',
  in: 'query',
  text: 'As of this moment, out of the log: ISO 8601, or right after an event as in seq:4711. Default: now.',
};
