/** The Graph is what a client's address without a tab shows. */
export { default } from './graph/page';
