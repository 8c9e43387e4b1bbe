\set session random(0, 19999)
\set a random(0, 49)
\set b random(50, 99)
\set a (:session % 200) * 100 + :a
\set b (:session % 200) * 100 + :b
\set t (:session % 200) * 10 + random(0, 9)
\set number random(1000, 9999)
SELECT bench_place(:session, :a, :b, :t, :number);
