-- Refunds take back by the money that is left of a sale, at the rate by which it was given.

-- Of a movement: the money that it was given for. Of a reversal: the money that went back. Null in rows of before.
alter table connector_effect add column money numeric(19, 4);
alter table connector_effect add column currency text;
alter table connector_effect add column per_unit numeric(19, 4);
alter table connector_effect add column rounding text;
