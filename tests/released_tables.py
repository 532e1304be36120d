"""What the paper's released repository says of its tables: names, values, first rows.

Read in sb-ai-lab/llm4tab at 59fc21df and 99c5f499 (feat-llm/data), 1be74c10 (source/utils.py) and
4af41a20 (REAL_DATASETS_INFO.md).
"""

from typing import NamedTuple


class Released(NamedTuple):
    """A released csv: its columns in order, and some of its rows."""

    header: str
    rows: tuple[str, ...]


NEW = {
    "bank_credit_scoring": Released(
        ",Unnamed: 0,Debt,Overdue days,Initial limit,BIRTHDATE,SEX,EDU,INCOME,TERM,"
        "Credit history rating,LV_AREA,LV_SETTLEMENTNAME,INDUSTRYNAME,PDN,UNDERAGECHILDRENCOUNT,"
        "FAMILYSTATUS,target",
        (
            "0,11703,2103.22,3,2700.0,1998-01-29,Male,High school,976.41,24,C3,g. Minsk,MINSK,"
            "Production,0.4,3,2,0",
            "1,14004,94.06,0,1300.0,1978-01-25,Male,University,2057.12,24,A1,g. Minsk,Minsk,"
            "Medicine and healthcare,0.03,2,1,1",
            '10,14784,3259.76,0,4000.0,1982-10-04,Male,"Incomplete, University",655.96,24,B3,'
            "g. Minsk,Minsk,Transport/Logistic,0.34,2,1,1",
            "4,9502,3800.0,215,3800.0,1975-10-21,Female,College,1253.78,60,C3,MINSKAJa,PRUSY,"
            "Agriculture,0.09,0,2,0",
            "7,15114,2571.26,0,2725.0,1987-12-21,Female,College,698.42,60,B3,BRESTSKAJa,PINSK,"
            "Retired,0.12,0,2,0",
            "28,14819,990.79,0,1050.0,2003-10-01,Female,College,1222.62,60,C1,Mogilevskaja oblast',"
            "Osipovichi,Ministry of Internal Affairs/Ministry of Emergency Situations/Ministry of "
            "Defense,0.4,0,2,1",
            "46,15578,1226.68,0,1300.0,1980-01-25,Male,College,563.13,60,B2,Gomel'skaja oblast',"
            "ZARECh'E,Public services,0.4,0,1,1",
            "47,11255,9199.62,62,10000.0,1996-12-23,Male,University,4813.06,60,C1,g. Minsk,MINSK,"
            "Information Technology,0.31,0,1,1",
        ),
    ),
    "callcenter": Released(
        ",Gender,Age,Education,Nationality,Marital_Status,Governorate,Aware_151,Call_151,"
        "The_reason_of_the_call,Call_center_employee_communication_skills_evaluation,"
        "Satisfaction_with_the_doctors_response,How_often_do_you_receive_call_center_news,target",
        (
            "0,Female,25-29,Bachelor,Kuwaiti,Single,Farwaniya,Yes,Yes,Vaccination,4.857,5.0,3.8,1",
            "3,Male,60 and above,Diploma,Other nationality,Married,Capital,No,Yes,Inquiries,2.571,"
            "2.857,1.3,0",
        ),
    ),
    "postpartum": Released(
        ",Age,Residence,Education Level,Marital status,Occupation before latest pregnancy,"
        "Monthly income before latest pregnancy,Occupation After Your Latest Childbirth,"
        "Current monthly income,Husband's education level,Husband’s monthly income,Addiction,"
        "Total children,Disease before pregnancy,History of pregnancy loss,Family type,"
        "Number of household members,Relationship with the in-laws,Relationship with husband,"
        "Relationship with the newborn,Relationship between father and newborn,"
        "Feeling about motherhood,Recieved Support,Need for Support,"
        "Major changes or losses during pregnancy,Abuse,Trust and share feelings,"
        "Number of the latest pregnancy,Pregnancy length,Pregnancy plan,Regular checkups,"
        "Fear of pregnancy,Diseases during pregnancy,Age of newborn,"
        "Age of immediate older children,Mode of delivery,Gender of newborn,Birth compliancy,"
        "Breastfeed,Newborn illness,Worry about newborn,Relax/sleep when newborn is tended ,"
        "Relax/sleep when the newborn is asleep,Angry after latest child birth,"
        "Feeling for regular activities,target",
        (
            "0,24,City,University,Married,Student,No,Student,No,University,More than 30000,No,One,"
            "No,No,Nuclear,6 to 8,Neutral,Good,Good,Good,Neutral,High,Medium,Yes,Yes,Yes,1,"
            "10 months,No,Yes,Yes,No,6 months to 1 year,No,Normal Delivery,Boy,No,Yes,No,Yes,Yes,"
            "Yes,No,Worried,1",
            "3,32,City,University,Married,Doctor,More than 30000,Doctor,More than 30000,University,"
            "More than 30000,No,One,No,Miscarriage,Joint,6 to 8,Bad,Neutral,Good,Good,Happy,Medium,"
            "Low,Yes,No,Yes,1,9 months,Yes,Yes,Yes,Non-Chronic Disease,Older than 1.5 year,No,"
            "Caesarean Section,Girl,No,Yes,No,No,Yes,Yes,Yes,Tired,0",
            "733,32,City,University,Married,Service,More than 30000,Service,More than 30000,"
            "University,20000 to 30000,No,One,No,No,Joint,2 to 5,Neutral,Friendly,Very good,"
            "Very good,Happy,High,Medium,No,No,Yes,1,10 months,Yes,Yes,No,Non-chronic disease,"
            "0 to 6 months,No,Caesarean Section,Girl,No,Yes,No,No,Yes,Yes,Yes,Tired,1",
            "766,35,Village,No,Married,Housewife,No,Housewife,No,High school,10000 to 20000,No,"
            "More than Two,No,No,Joint,9 or more,Neutral,Neutral,Very good,Neutral,Neutral,Medium,"
            "Medium,No,Yes,No,4,9 months,No,No,Yes,No,0 to 6 months,4yr to 6yr,Normal Delivery,"
            "Girl,No,Yes,No,No,Yes,Yes,No,Tired,0",
        ),
    ),
    "machine": Released(
        "Temperature,Vibration,Power_Usage,Humidity,Machine_Type,target",
        (
            "77.43264094,53.07683742,12.9633268,21.06812267,Mill,1",
            "71.70865438,45.32280649,8.515031535,26.88982597,Drill,0",
        ),
    ),
    "stars": Released(
        "Vmag,Plx,e_Plx,B-V,SpType,Amag,target",
        ("8.76,13.06,1.23,0.594,G1V,19.339716,0", "8.29,-0.31,0.83,1.05,K3III,4.42,1"),
    ),
    "crimes_arrest": Released(
        "Date,Primary Type,Description,Location Description,Domestic,Beat,District,Ward,"
        "Community Area,FBI Code,X Coordinate,Y Coordinate,Year,Latitude,Longitude,target",
        (
            "01/22/2025 09:50:00 PM,BATTERY,SIMPLE,STREET,0,2013,20,48,77,08B,1167328.0,1936340.0,"
            "2025,41.980874051,-87.659992014,0",
            '01/03/2025 01:10:00 AM,THEFT,"OVER $500",APARTMENT,1,623,6,6,69,06,,,2025,,,1',
        ),
    ),
    "reading": Released(
        ",Gender,Age,Department,Amount of time spent reading books per day,"
        "Reason for reading books,How to manage books for reading,"
        "Number of e-books you read last two years,Number of printed books you read last two years,"
        "Favorite books for reading to spend leisure time,"
        "What is the change that you fell after reading books,Who influenced you to read books,"
        "Which language books do you like to read,Where do you read printed books,"
        "Do you read Newspaper,The format that you used for reading books,"
        "Frequency of reading books,target",
        (
            "0,Male,22,CSE,4,Academic Purpose,E-books,1-5,,Biography,Increase Academic Performance,"
            "Teachers,English,Home,Yes,Both,On everyday basis,1",
            "1,Female,21,BBA,1,Entertainment Purpose,Buy,,6-10,Fiction,Feel Relax,Friends,Bangla,"
            "Library,No,Printed,A few times a week,0",
        ),
    ),
    "extrovert": Released(
        ",social_connection_frequency,gathering_size_preference,valued_friendship_traits,"
        "conflict_resolution_style,family_support_level,social_battery_recharge,"
        "social_orientation_type,social_anxiety_level,emotional_expression_method,"
        "primary_anger_sources,target",
        (
            "0,Daily,Large events,Honesty,Talk it out,Yes,Alone time,Introvert,Avoid it,Other,"
            "Injustice,1.0",
            '78,Monthly,Both,"All the three and trust ",Apologize first,No,Social media,Not sure,'
            'Neutral,"Talk openly, Express emotion strongly",Selfishness,0.0',
        ),
    ),
}
"""Columns in the order of the file; "" is the index. Rows of bank_credit_scoring, postpartum and
machine are whole rows of the file, the others are put together from values of its columns."""

COLUMNS = {
    "hiring": 18, "adult": 14, "seismic_bumps": 18, "san_francisco_crimes": 6, "bbbp": 19,
    "audit": 26, "fraud": 14, "student_famsup": 29, "telco": 20, "pc4": 38, "tae": 6, "irish": 6,
    "compas": 14, "vote": 17, "cancer": 10, "steel": 34, "kc1": 21, "credit": 21,
    "transfusion": 5, "fitness": 5, "diabetes": 9, "biodegr": 42, "marketing": 26,
}  # fmt: skip
"""Columns of the core sets as the repository counts them, mostly with the target."""

POSITIVE = {
    "credit": "good", "cancer": "malignant", "tae": "P", "telco": "Yes", "compas": "1",
    "pc4": "TRUE", "kc1": "true", "irish": "taken", "vote": "democrat", "steel": "1",
}  # fmt: skip
"""Value of class 1 in the code's label maps."""
