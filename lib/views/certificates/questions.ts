import { defineQuestion } from '../../questions/question';
import { certificatePage, certificatesQuery } from './schema';

export const certificatesQuestion = defineQuestion({
  summary: 'Certificates that Envoys report (/certs), by expiration time.',
  query: certificatesQuery,
  answer: certificatePage,
  cost: 'question',
});
