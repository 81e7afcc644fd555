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
