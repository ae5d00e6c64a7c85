import type { Column } from '../types.ts';

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object, unique among its kind in its namespace.',
  value: (object) => object.metadata.name,
};

export const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  description: 'When the server stored the object first.',
  value: (object) => object.metadata.creationTimestamp,
};
